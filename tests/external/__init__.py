"""Programs that others wrote, run as graphs from their installed packages."""
