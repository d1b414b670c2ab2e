"""Forms of carried values that are known apart from sums and records."""

from __future__ import annotations

from graph_program.extract.transform.vectorize.latches import latched
from graph_program.extract.transform.vectorize.parity import turned
from graph_program.extract.transform.vectorize.quantifiers import quantified
from graph_program.extract.transform.vectorize.switches import asked, switched

FORMS = (turned, latched, switched, quantified, asked)
"""Each says how a value is found behind the loop, or None, and may say what others are in each round."""

__all__ = ["FORMS"]
