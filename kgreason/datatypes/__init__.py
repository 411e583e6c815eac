"""The values of literals (XSD 1.1 and OWL 2), and how datatypes are related.

literals                the parts of a literal: lexical form, datatype, language tag
spaces/                 a module for each kind of value: numbers, strings, times, ...
value                   Value: an element of one value space
datatype_map            for each datatype its lexical forms and its values
hierarchy               which datatypes contain other datatypes, and which have no common value
order                   compares two values
facets, patterns        restrictions of datatypes, such as xsd:minInclusive and xsd:pattern
"""
