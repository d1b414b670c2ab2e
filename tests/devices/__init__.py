"""Exported C, compiled for other processors and run there: in emulators, in wasm, on an emulated Cortex-M4."""
