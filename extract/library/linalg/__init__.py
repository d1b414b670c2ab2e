"""`np.linalg` as programs over NumPy, extracted like a user's own functions: all of them take stacks of matrices.

Matrices are worked through in panels of columns.  Within a panel a round of a loop does one column, by operations on
the whole panel with masks; what is right of it gets all of the panel's columns in one product of matrices (Golub and
Van Loan, Matrix Computations, 4th edition, 3.2.11).  As in NumPy, float32 is computed in float64 and rounded last.
"""
