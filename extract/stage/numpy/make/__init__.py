"""New arrays: from numbers and lists, filled, in a row, padded."""
