"""Elements that are chosen or ordered: by position, mask or value; NumPy's iterators."""
