"""Trees of SPARQL queries. Oxigraph evaluates queries and shows no trees.

parser     the tree of a query (grammar.lark)
mistakes   where a query goes wrong, and what is wrong there
"""
