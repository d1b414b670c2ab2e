"""Native code: the same graph as portable C99.

Read in this order: `emit` (a program to a `.c` and a `.h` file), `function` (the writer: values, pending ones, what is
alive), `arrays` (what an array is: a place in memory, or an expression of its indices), `control` (branches and
loops), `rules` (each operation), `support` (the C functions that some of them call), `library` (compiled, and called
from Python).
"""
