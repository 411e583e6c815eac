"""The values of literals (XSD 1.1 and OWL 2), and what datatypes have in common.

literals                a literal -> lexical form, datatype, language tag
spaces/                 a module for each kind of value
value                   Value: an element of one value space; equality is identity
datatype_map            each datatype: its lexical mapping and its values
hierarchy               which datatypes contain each other, and which are disjoint
order, facets, patterns comparisons, and restrictions of datatypes
"""
