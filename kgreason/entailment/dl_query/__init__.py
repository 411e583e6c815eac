"""Which named classes lie above, beside and below a class expression, and which individuals are in it.

names        a name of an expression -> an IRI: by prefix, label or local name
manchester   a class expression in Manchester syntax -> Turtle
query        `query`: asks a graph about an expression, in a what-if
"""
