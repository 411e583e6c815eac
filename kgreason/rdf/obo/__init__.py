"""The OBO format.

clauses    the clauses that the library horned-owl does not translate to OWL
"""
