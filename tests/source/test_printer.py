"""The printed core tree reads as Python and, where it has no blocks, is Python of the same meaning."""

from __future__ import annotations

from types import FunctionType

import pytest

from graph_program.extract.ir import tree
from graph_program.extract.ir.tree_printer import print_function
from graph_program.extract.source.load import load_function
from graph_program.extract.source.names_read import walk
from tests.source.programs import CASES
from tests.source.texts import from_text

PLAIN = [
    fn
    for fn, _ in CASES
    if isinstance(fn, FunctionType)
    and fn.__name__ not in ("<lambda>", "literals", "f_strings", "asserting", "assert_plain")
    and not any(isinstance(node, tree.Block) for node in walk(load_function(fn)))
]


@pytest.mark.parametrize("fn", PLAIN, ids=[fn.__name__ for fn in PLAIN])
def test_printed_text_is_the_same_program(fn: FunctionType) -> None:
    """Loading the printed text gives the tree that was printed (decorators and labels aside)."""
    function = load_function(fn)
    text = print_function(function).removeprefix("@")
    text = text[text.index("def ") :]
    again = load_function(from_text(text, fn.__name__))
    assert (again.params, again.body) == (function.params, function.body)


def test_blocks_and_leaves_are_shown() -> None:
    f = from_text(
        """
        def f(x, /, y: int = 2, *, k=(1, 2), **kw) -> int:
            while x:
                if x > y or -x ** 2: break
                x += (lambda *a: a[0])(1)
            else:
                assert (y := not x), f"{x!r:>{y}} {{}}"
            return x if y else kw[::2, (x, (y,))], k
        """,
        "f",
    )
    assert print_function(load_function(f)) == "\n".join(
        [
            "def f(x, /, y: int = 2, *, k=(1, 2), **kw) -> int:",
            "    block break.1:",
            "        while x:",
            "            if x > y or -x ** 2:",
            "                leave break.1",
            "            x += (lambda *a: a[0])(1)",
            "        if not (y := not x):",
            '            raise AssertionError(f"{x!r:>{y}} {{}}")',
            "    return x if y else kw[::2, (x, (y,))], k",
        ]
    )
