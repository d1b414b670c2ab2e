"""Whole programs, compared with plain Python."""
