"""What is told of models and calls that cannot be: classes of exceptions."""

from __future__ import annotations


class LoadError(Exception):
    """A model that cannot be called like a function."""


class _Told(Exception):
    """What has a code (see docs/errors.md) and perhaps a hint."""

    def __init__(self, code: str, message: str, hint: str = ""):
        super().__init__(f"error[{code}]: {message}" + (f"\n  help: {hint}" if hint else ""))
        self.code = code


class CallError(_Told, TypeError):
    """Arguments that do not fit what the model was exported for."""


class UnsupportedError(_Told, NotImplementedError):
    """An argument that no program takes."""


class RunError(RuntimeError):
    """Inputs on which onnxruntime failed."""
