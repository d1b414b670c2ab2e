"""Programs about Python's operators, items, comparisons, copies and texts, and about when they fail."""
