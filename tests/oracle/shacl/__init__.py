"""A naive SHACL validator, written from the specification. It imports nothing of kgreason.

A graph is an rdflib graph whose literals keep their lexical forms. A report is a list of results, in no order, since
the specification lets one constraint produce two equal results.

values      values of literals, and SPARQL's `<` and `<=`
turtle      Turtle as an rdflib graph that keeps lexical forms
paths       property paths: read, evaluated, written
result      Result and Failure
components  one function for each component of SHACL Core
sparql      sh:sparql and components that are written in SPARQL
validator   targets, shapes, validation
report      results as the report graph of the W3C, and the comparison of its suite
suite       the W3C's suite: manifests as cases
drawn       random shapes graphs and data graphs
"""
