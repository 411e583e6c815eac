"""The slow obvious version: naive reasoners in plain Python that kgreason is checked against.

Nothing here imports kgreason. `datalog` evaluates rules over tuples, `owl2rl` and `rdfs` apply the rows of the W3C
tables to sets of triples; a term is its N-Triples text, a triple is a tuple of three terms.
"""
