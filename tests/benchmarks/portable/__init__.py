"""What other runtimes make of exported models: a sample of the programs of the tests, plain and portable.

A runtime that is a target (docs/targets.md) is given what is exported for it, too: there, what it is known not to take
or to get wrong is refused.  Each model is loaded and run on the arguments of its test, and compared with onnxruntime
on the plain model.  What a runtime computes in fewer bits is compared to as many.

    python -m tests.benchmarks portable             how many load and give what onnxruntime gives; why the others do not
"""

from __future__ import annotations


def tables(quick: bool, corpus: bool) -> list[str]:
    """A table for each runtime that is there."""
    from tests.benchmarks.portable.compared import tables_of

    return tables_of(quick)
