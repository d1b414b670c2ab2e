"""Programs about one statement or expression each."""
