"""Queries on their way to Oxigraph.

asking    the way of every query, and what is rewritten for Oxigraph
spelled   triples as the graph writes them
reads     the graph that a CONSTRUCT or DESCRIBE reads
columns   the variables of a query in the order of its text, and its prefixes
scopes    which variables are those of the outermost pattern
bindings  terms in the place of variables
numeric   whether a query computes, and the warning if its graph has very long numbers
"""
