/* A Cortex-M4 without an operating system: start, stack, and text by semihosting. */
#include "board.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

extern uint32_t board_stack_top, board_stack_end;
int main(void);

static int semihost(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void stop(int failed) {
    semihost(0x18, (const void *)(failed ? 0x20023 : 0x20026));
    for (;;) {}
}

void board_start(void);
void board_start(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the unit for floats */
    stop(main());
}

static void board_fault(void) {
    semihost(0x04, "fault\n");
    stop(1);
}

typedef struct {
    void *stack;
    void (*handlers[15])(void);
} board_vectors;

__attribute__((section(".vectors"), used)) static const board_vectors vectors = {
    &board_stack_top, {board_start, board_fault, board_fault, board_fault, board_fault, board_fault},
};

static void put_number(unsigned long long value, unsigned base) {
    char text[24];
    int at = 23;
    text[at] = 0;
    do text[--at] = "0123456789abcdef"[value % base];
    while (value /= base);
    semihost(0x04, text + at);
}

int printf(const char *format, ...) {
    va_list values;
    va_start(values, format);
    for (; *format; format++) {
        const char text[2] = {*format, 0};
        if (*format != '%') {
            semihost(0x04, text);
            continue;
        }
        while (strchr("%.0123456789l", *format)) format++;
        if (*format == 'd') {
            const long long value = format[-1] == 'l' ? va_arg(values, long long) : va_arg(values, int);
            if (value < 0) semihost(0x04, "-");
            put_number(value < 0 ? -(unsigned long long)value : (unsigned long long)value, 10);
        } else if (*format == 'u') {
            put_number(va_arg(values, unsigned long long), 10);
        } else if (*format == 's') {
            semihost(0x04, va_arg(values, const char *));
        } else {
            const double value = va_arg(values, double);
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            semihost(0x04, "0x");
            put_number(bits, 16);
        }
    }
    va_end(values);
    return 0;
}

#define PAINT 0xA5A5A5A5u
static uint32_t *painted;

__attribute__((noinline)) void board_paint(void) {
    uint32_t *here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    painted = here;
    for (volatile uint32_t *at = &board_stack_end; (uint32_t *)at < here; at++) *at = PAINT;
}

__attribute__((noinline)) void board_measure(void) {
    const volatile uint32_t *at = &board_stack_end;
    while ((const uint32_t *)at < painted && *at == PAINT) at++;
    printf("stack %lld\n", (long long)((const char *)painted - (const char *)at));
}
