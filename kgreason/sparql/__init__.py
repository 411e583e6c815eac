"""SPARQL 1.1 Update as signed quads.

source, tokens    a text, its positions and its blocks
syntax, parser    a text -> operations, all of them before any runs (grammar.lark is the outer structure)
block, template   the quads that a block stands for, and those of each solution of a WHERE
where             a WHERE as a SELECT
operations        the operations as values
editable          what an update asks of the graph that it edits
columns           the variables of a query in the order of its text, and its prefixes
problems          messages for a text that Oxigraph does not take
mistakes/         where a query goes wrong, and how
evaluate          operations -> edits of asserted quads, in order
"""
