"""Which side runs what: the graph, or the host beside it.

Host code whose results the graph does not need waits until the graph has run (`effects`); what crosses is
listed (`copies`); a mixed program can also be run piece by piece (`segments`).
"""
