"""Reductions, statistics, norms, quantiles and counts."""
