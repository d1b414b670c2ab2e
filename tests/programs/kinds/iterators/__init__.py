"""Programs with iterators and generators."""
