"""Many calls of one program: sessions that keep memory, streams of calls, and processes that make them."""
