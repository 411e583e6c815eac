"""The triples of CONSTRUCT and DESCRIBE, with literals as they are written in the graph.

speller          spells in whatever state the graph is
spellings        triples that the graph has, by its engine
of_state         triples that the graph has, by its saved state
keyed            rows of the saved state by subject and predicate
renamed          triples with another predicate than those that gave their objects
"""
