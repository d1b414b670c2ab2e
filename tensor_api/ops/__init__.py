"""The declarations of all primitive operations, by family; importing this fills `OPS`."""

from graph_program.tensor_api.ops import creation, elementwise, indexing, linear, movement, neural, reduction

__all__ = ["creation", "elementwise", "indexing", "linear", "movement", "neural", "reduction"]
