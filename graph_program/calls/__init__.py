"""The slow half of a program: what the first call with new types does; imported by that call.

`calls` finds the types of the arguments and what was extracted for them; `one_signature` is one extraction and what
runs it, by the back end that `back_end` chooses.  `subject` is what these share of a program.  `instances` says how
objects of plain classes are taken, `second_objects` what another object of a class has of the first one.
`fewer_collections` is about Python's memory meanwhile.  The rest is what a program tells of itself: `explained`,
`extractions`, `crossings`.

Imports `extract` and `backends`; nothing of exports or of the command line.  `program_options` is imported where
programs are decorated, and loads nothing else.  Start with `calls`.
"""
