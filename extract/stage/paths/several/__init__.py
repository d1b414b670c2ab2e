"""Values that are one of several, or absent, depending on the path taken: what is asked of each, and merged.

Start with `each_case`, then `forms` and `one_of_several`.
"""
