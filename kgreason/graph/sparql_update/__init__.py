"""SPARQL Update on a graph: one commit, or none.

update      `update` carries out a request, and returns its result
steps       the operations of the request (steps); each sees the results of the operations before it
ahead       the store after the steps so far, for the WHERE of the next step
origins     where a WHERE gets the values of its variables
as_written  the solutions of a WHERE, with literals as they are written in the graph
"""
