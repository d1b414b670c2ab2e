"""Programs about calls: arguments, closures, recursion."""
