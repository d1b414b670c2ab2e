"""Graph programs as ONNX models."""

from graph_program.backends.onnx.deferred_imports import SYMBOLIC, deferred

with deferred(SYMBOLIC):
    import onnx_ir  # noqa: F401
