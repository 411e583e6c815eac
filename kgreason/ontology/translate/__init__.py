"""Translate axioms to rules.

rdfs, owl2rl  a function for each row of the specifications
normalise     bring each rule into canonical form, then remove duplicates
translate     all passes of the front end, in their order
"""
