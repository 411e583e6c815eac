"""The values of literals (XSD 1.1 and OWL 2), and how datatypes are related.

literals                the parts of a literal: lexical form, datatype, language tag
spaces/                 a module for each kind of value: numbers, strings, times, ...
value                   Value: an element of one value space
datatype_map            the lexical forms and the values of each datatype
hierarchy               which datatypes contain each other, and which have no common value
order                   compares two values
facets                  restrictions of datatypes, such as xsd:minInclusive and xsd:pattern
"""
