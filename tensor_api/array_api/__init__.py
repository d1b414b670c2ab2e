"""The Array API standard 2025.12 as ordinary code over NumPy: run eagerly, or inlined in a program."""
