"""The program as a whole: its arguments, results and promises, evaluations that start again, the entry.

Start with `evaluate`.
"""
