"""The past of a graph.

reading  the history of a home: its entries, and deltas of them
deltas   entries of the history as deltas, and deltas as entries
past     the graph as it was after a commit
revert   revert: takes a commit back
"""
