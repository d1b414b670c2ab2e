"""Calling exported models as functions, with NumPy and onnxruntime alone.

`one_file.py` puts these modules into one file, `onnx_program.py`, which is copied to where a model runs; so they
import nothing of graph-program but one another, by name, and no two of them define the same name.
"""

from __future__ import annotations
