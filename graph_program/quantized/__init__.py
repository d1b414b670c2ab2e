"""Quantized exports: a model with integers of 8 bits, or floats of 16, in the place of float32.

`export.py` is the list of steps; what is asked for stands in `options`.  onnxruntime's tools quantize single operations
(`int8`); what they leave out is here: bodies of loops and branches, ranges of values inside of these (`ranges`), what
is chosen by lines and functions (`places`), floats of 16 bits with islands (`float16`), and the report (`report`).
"""
