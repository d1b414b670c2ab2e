"""Programs whose types and sizes are found from their uses."""
