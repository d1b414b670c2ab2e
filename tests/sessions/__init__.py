"""Sessions, streams of calls, and processes that make them."""
