"""Files verified in the runtimes that are installed."""
