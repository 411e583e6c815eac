"""The past of a graph: `deltas` between entries of the history and deltas, `past` as a graph, `revert`, `timeline`."""
