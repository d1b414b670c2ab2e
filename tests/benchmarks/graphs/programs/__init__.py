"""Ordinary NumPy programs, one a file; what each of them takes is made by `arguments` of its module."""
