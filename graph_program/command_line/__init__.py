"""The command line: check, explain, export and profile programs in files, run models, show the demo.

`main` reads the arguments and ends with an exit code (`errors`); the commands are in `commands`, one file each.
What several of them need is beside it: the user's files as modules (`user_files`), arguments as they are typed
(`arguments`), advice in words that can be typed (`advice`).  The work of two commands is large enough for files
of its own: `checking` with `reports`, and `running`.

Imports the rest of the package, which imports nothing from here but `main`, by the entry points.  What is heavy is
imported when a command is called, so that `--help` is quick.  Start with `main`.
"""
