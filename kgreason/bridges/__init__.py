"""Bridges to other libraries for knowledge graphs, rdflib and owlready2. Each one is an optional extra."""
