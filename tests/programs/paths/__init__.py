"""Programs whose values, types and names depend on the path taken."""
