"""Programs that write attributes of captured objects."""
