"""SPARQL 1.1 Update as signed quads: quads to remove or to add.

source, tokens    a text, its positions and its blocks
syntax, parser    a text -> operations, all of them before any runs (grammar.lark is the outer structure)
block, template   the quads of a block, and the quads for each solution of a WHERE
where             a WHERE as a SELECT
operations        the operations as values
editable          the methods of a graph that an update calls
query/            queries on their way to Oxigraph
trees/            the trees of queries, and their mistakes
problems          messages for a text that Oxigraph does not take
evaluate          operations -> edits of asserted quads, in order
"""
