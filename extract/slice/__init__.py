"""Which side runs what: the graph, or the host beside it.

What crosses is listed (`copies`), and so is arithmetic that the host does (`moved`).  Steps on the host are merged,
lent what they have already, and told how long their objects live, in the residual program (`merging`, `lending`,
`scopes`, `lifetimes`); in the graph they become exchanges, and run beside it where that is worth it (`exchanges`,
`overlap`).  Number types that no graph has go here, too (`complex_parts`, `bfloat16`).  A mixed program can also be
run piece by piece (`segments`).

Imports `control` and `transform`.  The order is in `pipeline` and `graph_steps`; start with `copies`.
"""
