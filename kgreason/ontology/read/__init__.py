"""Read the axioms of a schema.

schema   decides which triples are schema, and indexes them
lists    reads an RDF list, or finds the fault in it
axioms   axioms as values
rows     helpers for the functions that realise a row of the W3C tables
collect  reads the axioms of a schema, node by node
unread   the kinds of axioms that no rule of OWL 2 RL reads
swrl     reads SWRL rules: from nodes to an axiom, from an axiom to rules
"""
