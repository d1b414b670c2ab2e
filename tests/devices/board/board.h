/* What the programs of the examples call on the board. */
#ifndef BOARD_H
#define BOARD_H

/* Texts, whole numbers, and floats as the bits of a double. */
int printf(const char *format, ...);

/* Paint the stack below here; how much of it a call has used since. */
void board_paint(void);
void board_measure(void);

#endif
