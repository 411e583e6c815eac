"""SPARQL Update on a graph: one commit, or none.

ahead the store after the steps so far, for the WHERE of the next step steps the operations; each sees the results of
the operations before it update update: carries out a request; the result of the request
"""
