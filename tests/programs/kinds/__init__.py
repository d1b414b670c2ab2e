"""Programs with one kind of value each: ranges, slices, named tuples, exceptions, strings, bytes."""
