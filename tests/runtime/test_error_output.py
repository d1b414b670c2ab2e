"""The output of a model that tells of errors, beside things of the user's that have its name."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import graph_program


def test_an_output_of_the_users_may_be_called_error() -> None:
    def program(x: Any) -> Any:
        if x.sum() > 1:
            raise ValueError("too large")
        error = x * 2
        return error  # noqa: RET504 (results have the names of variables)

    model = graph_program(program).model(args=(np.zeros(2),))
    found = {p.key: p.value for p in model.metadata_props}
    names = [output.name for output in model.graph.output]
    assert names == ["error", found["error_output"]]
