"""Programs with dicts and sets."""
