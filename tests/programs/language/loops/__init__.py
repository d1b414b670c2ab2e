"""Programs that are mostly control flow."""
