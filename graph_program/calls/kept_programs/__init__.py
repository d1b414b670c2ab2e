"""Machine code of earlier processes: a first call that needs no extraction.

Read in this order: `reached` (all that a function may read, as a digest, and what of it may change), `records` (how a
library is called, as text), `keeping` (where records are), `kept` (those of a program), `writing` (when there is one).
But for the last of them, nothing here imports what extraction needs.
"""
