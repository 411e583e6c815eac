"""Translate axioms to rules.

rdfs, owl2rl  a function for each row of the specifications
translate     all passes of the front end, in their order, and the same for a schema that is edited
"""
