/* What a program on the bare board has instead of printf. */
#ifndef CORTEX_M4_H
#define CORTEX_M4_H

#include <stdint.h>

void print_text(const char *text);

/* The bits of a number, in base 16, and the end of the line. */
void print_bits(double value);

#endif
