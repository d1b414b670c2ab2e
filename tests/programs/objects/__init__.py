"""Programs with instances of classes."""
