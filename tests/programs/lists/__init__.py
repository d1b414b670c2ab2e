"""Programs with lists of computed length."""
