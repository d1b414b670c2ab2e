"""What the samples for other processors share: their tools, how they are run, and files in C and JavaScript."""

from graph_program.samples.devices.tools import Absent, compiled, printed, python_tool, tool

__all__ = ["Absent", "compiled", "printed", "python_tool", "tool"]
