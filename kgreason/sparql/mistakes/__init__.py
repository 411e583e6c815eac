"""What is wrong with a SPARQL query that Oxigraph does not take.

syntax     the first token that no query can have at its place, and which tokens could stand there
brackets   which brackets are open at a place
words      such a token in words, with what is missing or what was meant
meaning    mistakes of a query whose grammar is right: a variable that is not in GROUP BY, a relative IRI

Oxigraph's parser says how far it came, and not where the mistake is. A second parser, with the grammar of SPARQL, finds
the place. It runs only after Oxigraph has refused a query.
"""
