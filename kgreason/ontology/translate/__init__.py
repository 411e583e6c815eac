"""Translate axioms to rules.

rdfs, owl2rl  a function for each row of the specifications
outlines      the rules of axioms that differ only in their terms
translate     all passes from schema triples to rules, in their order, and the same for a schema that is edited
"""
