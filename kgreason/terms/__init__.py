"""Terms of RDF as integers.

vocabulary  the terms with fixed ids
prefixes    messages about a prefix that is not declared
quoting     strings as N-Triples writes them, and back
interning   the kernels: columns of texts -> ids
dictionary  Dictionary: term <-> id, the only place that knows the text of a term
"""
