"""Programs with host code: what it does, in which order, and what it raises."""
