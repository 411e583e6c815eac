"""Translate axioms to rules.

rdfs, owl2rl  a function for each row of the specifications
translate     all passes from schema triples to rules, in their order, and the same for a schema that is edited
"""
