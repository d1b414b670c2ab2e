"""Kinds of views whose order in memory follows from that of their base."""

from graph_program.extract.stage.values.values import View


class ContiguousView(View):
    """A view of all elements of its base, in the same order: without gaps if the base has none."""


class ReversedView(View):
    """A view with all axes in reverse order."""


class LeadingView(View):
    """A view of neighbours on the leading axes of its base: rows `a` to `b`, or one row."""
