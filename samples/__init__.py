"""Programs that show what the language does; each runs by itself: `python -m graph_program.samples.coins`."""
