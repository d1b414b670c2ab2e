"""The program as a whole: its arguments, results and promises, evaluations that start again, the entry.

`evaluate` evaluates a function for one signature, and again as often as a signal of `machine/signals` asks for it;
`restarts` says what each of them decides.  `arguments` makes values of what the caller gives, `given_lists` and
`state_inputs` of lists and captured state among it; `infer` finds types of parameters without annotations.  `rooms`
loads all rooms, so that what is declared below is given.

Imports all rooms.

Start with `evaluate`, then `restarts` and `arguments`.
"""
