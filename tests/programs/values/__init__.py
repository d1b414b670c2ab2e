"""Programs about what is known of a value: constants, None, element types."""
