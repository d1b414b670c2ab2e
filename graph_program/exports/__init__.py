"""From an extracted program to files that run without it.

`export.py` is the list of steps, in order, and the place to start reading; each step is a file of its own: what
the caller wants (`options.py`), the extraction for it (`for_model.py`), the model (`models.py`, with its outputs
from `outputs.py`), programs that need Python beside the model (`with_host.py`), what was made (`summary.py`), and
the files on the disk (`files.py`).  Nothing here is imported before a program is exported.
"""

import graph_program.backends.onnx  # noqa: F401  (imports onnx_ir in its own way, so before others do)
