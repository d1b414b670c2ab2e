"""Programs with host code: what crosses, how they are cut, and as files."""
