"""The schema -> axioms.

schema        which triples are schema, and an index over them
lists         RDF lists, or the fault that breaks one
axioms, rows  axioms as values; what the rows of the W3C tables are written with
collect       schema -> axioms, node by node
swrl          SWRL rules: nodes -> axiom -> rules
"""
