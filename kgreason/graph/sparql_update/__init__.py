"""SPARQL Update on a graph: one commit, or none.

ahead   the store as the steps so far have left it, for the WHERE of the next
steps   the operations, each with what the ones before it did
update  update: a request, and what came of it
"""
