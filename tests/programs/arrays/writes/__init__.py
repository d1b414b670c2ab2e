"""Programs that index arrays and write into them."""
