"""Programs as C, compiled by the machine's compiler and called from Python."""
