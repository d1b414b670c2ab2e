"""Programs about Python's statements and expressions."""
