"""How far exported graphs are from graphs that a person writes by hand in ONNX operators.

`programs/NAME.py` is an ordinary NumPy program, `by_hand/NAME.onnxtxt` a model of the same in ONNX's text form: flat,
with the idioms of the operators, without checks of what the program's arguments never are. They are what exported
graphs are measured against, so a better one is welcome.

    python -m tests.benchmarks graphs               nodes, depth and time of each, side by side
    python -m tests.benchmarks graphs --corpus      and what the exported programs of a sample of the tests consist of
"""

from __future__ import annotations


def tables(quick: bool, corpus: bool) -> list[str]:
    """The table of programs beside models by hand, and that of the programs of the tests where it is asked for."""
    from tests.benchmarks.graphs import compared
    from tests.benchmarks.graphs.corpus import table

    return [compared.table(quick), *([table(quick)] if corpus else [])]
