"""Programs with values that only the host has."""
