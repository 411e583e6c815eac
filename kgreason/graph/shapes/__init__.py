"""The shapes graph of a graph, and validation.

pending      ShapesEditor, PendingShapes: edits of the shapes graph in a transaction
shapes       Shapes: the shapes graph of a graph
refusal      refused: the results for which a commit is refused
validation   validate: the results as a report
"""
