"""Which side runs what: the graph, or the host beside it.

Host code whose results the graph does not need waits until the graph has run (`effects`); everything
else that only the host can do is refused for now, at its line.
"""
