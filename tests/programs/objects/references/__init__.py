"""Programs whose objects are in several places."""
