"""The calls through which each node was inlined, in its metadata, for whoever has the file only.

def step(x): return helper(x) + 1       source = tools.py:7:12
# tools.py:7: return np.tanh(x)         calls = track.py:1:21

What a function of the library does names the place in the user's code that calls it beside its own: `line`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx_ir as ir

from graph_program.extract.diagnostics import Loc

CALLS = "calls"
"""The key: the call sites as `track.py:30:9, main.py:4:5`, innermost first; none for code that was not inlined."""

LINE = "line"
"""The key: the place in the user's code that calls a function of the library; none for other code."""


def calls_text(chain: Sequence[Loc]) -> str:
    """The call sites as they are written.

    Parameters
    ----------
    chain : sequence of Loc
        Call sites, outermost first, and then the place itself.
    """
    return ", ".join(place.where for place in chain[-2::-1])


def note_calls(chains: Mapping[ir.Node, Sequence[Loc]]) -> None:
    """Note for nodes the calls through which they were inlined; in a local function, those inside of it.

    Parameters
    ----------
    chains : mapping of onnx_ir.Node to sequence of Loc
        Of each node, the call sites, outermost first, and its place.
    """
    for node, chain in chains.items():
        if len(chain) > 1:
            node.metadata_props[CALLS] = calls_text(chain)
        if chain[-1].is_library and not chain[0].is_library:
            node.metadata_props[LINE] = chain[-1].in_program.where


__all__ = ["CALLS", "LINE", "calls_text", "note_calls"]
