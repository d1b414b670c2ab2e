"""What only Python can do: objects there, steps on the host, and what is known of its libraries."""
