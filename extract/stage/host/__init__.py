"""What only Python can do: objects there, steps on the host, and what is known of its libraries.

`values` says what is known of objects on the host, what they hold and who else has them; `steps` what a program sends
there, when it is done and what comes back; `library` what the signatures of libraries say.  Rooms below ask for a step
by `machine/declared/host_entries`.

Imports the rooms from `values` to `opened`.

Start with `steps/host_code`, then `values/host_types`.
"""
