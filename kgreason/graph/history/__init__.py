"""The past of a graph.

deltas   entries of the history as deltas, and deltas as entries
past     Past: the graph as it was after a commit
revert   revert: takes a commit back
"""
