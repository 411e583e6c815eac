"""The triples of CONSTRUCT and DESCRIBE, with literals as they are written in the graph.

spellings        triples that the graph has
renamed          triples with another predicate than those that gave their objects
"""
