"""What functions and methods of libraries on the host return, where they do not say so themselves.

Tables; start with `library_signatures`.
"""
