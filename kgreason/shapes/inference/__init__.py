"""SHACL-AF: rules of a shapes graph, and node expressions.

expressions   a node expression as rules
rules         sh:rule: triple rules and SPARQL rules
orders        what the rules of one order see
"""
