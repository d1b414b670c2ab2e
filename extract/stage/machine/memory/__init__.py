"""What is known of arrays and objects: what is inside them, who can reach them, which are elements or in tables."""
