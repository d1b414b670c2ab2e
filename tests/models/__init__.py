"""Trained models that programs call: `load_onnx`."""
