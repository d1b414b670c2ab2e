"""The commands of `graph-program`, one file each: `add` says what a command takes, and sets what it does."""
