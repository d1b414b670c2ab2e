"""Programs with views of arrays: layouts, shapes, who shares memory with whom."""
