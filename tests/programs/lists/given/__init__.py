"""Programs with lists that they are given."""
