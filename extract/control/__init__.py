"""Control: residual program to CFG, SSA, single-entry-single-exit regions, functional graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph_program.extract.control.regions_to_graph import regions_to_graph
from graph_program.extract.control.residual_to_cfg import residual_to_cfg
from graph_program.extract.control.sese_regions import sese_regions
from graph_program.extract.control.ssa import to_ssa
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.residual import Program

__all__ = ["residual_to_graph"]


def residual_to_graph(
    program: Program,
    hook: Callable[[str, Any], None] = lambda stage, result: None,
    *,
    alone: bool = False,
) -> GraphProgram:
    """The functional graph of a residual program.

    Parameters
    ----------
    program : Program
        A residual program; it is not changed.
    hook : callable
        Called as `hook(stage, result)` behind each stage (`"cfg"`, `"ssa"`, `"regions"`, `"graph"`);
        the results print as text.
    alone : bool
        Whether no run can be repeated to explain its failure, as in an exported file.
    """
    cfg = residual_to_cfg(program, alone=alone)
    hook("cfg", cfg)
    ssa = to_ssa(cfg)
    hook("ssa", ssa)
    regions = sese_regions(ssa)
    hook("regions", regions)
    graph = regions_to_graph(ssa, regions)
    hook("graph", graph)
    return graph
