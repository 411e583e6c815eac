"""Axioms -> rules.

rdfs, owl2rl  a function for each row of the specifications
normalise     each rule by itself in canonical form, then equal rules as one
translate     all passes of the front end, in their order
"""
