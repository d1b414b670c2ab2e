"""The same elements in another arrangement: reshaped, joined, repeated, split."""
