"""Elements of sequences by position: of known length or of columns, at known and at computed positions.

Start with `sequence_items`.
"""
