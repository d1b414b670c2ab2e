"""Trained models that programs call: read and checked, typed, run by themselves, and made part of a graph.

read, checked      the bytes of a file as a message that has been looked at (`files`, `weights`, `checks`, `limits`)
typed              its inputs and outputs (`ports`)
called             in plain Python and by the reference back end (`loaded`)
inlined            as a function of an exported model, in the export's opset (`functions`, `opsets`)
"""
