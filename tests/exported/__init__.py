"""Programs of the tests, exported with one set of arguments and called with others where there is no graph_program.

    python -m tests.exported            over all programs of tests/programs, with a table of what was found

`pytest --exported=sample` (the default) does the same to one program of 40, and fails the test where a call differs.
"""
