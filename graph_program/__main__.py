"""`python -m graph_program`: the command line."""

import sys

from graph_program.cli import main

sys.exit(main())
