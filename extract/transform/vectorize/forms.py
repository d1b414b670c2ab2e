"""Forms of carried values that are known apart from sums and records."""

from __future__ import annotations

from graph_program.extract.transform.vectorize.parity import turned
from graph_program.extract.transform.vectorize.quantifiers import quantified

FORMS = (quantified, turned)
"""Each says how a value is found behind the loop, or None."""

__all__ = ["FORMS"]
