"""Programs about the whole: results, refusals, limits, what a call leaves behind."""
