"""Random programs, of which each is made of its number alone."""

from __future__ import annotations

import random


class Generated:
    """One program.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int):
        self.chosen = random.Random(seed)
        self.pick = self.chosen.choice
