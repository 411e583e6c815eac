"""The classes of an ontology: which is below which, and which are empty.

taxonomy        `classify`: the direct superclasses of named classes
unsatisfiable   the classes that nothing can be in, each with a proof
"""
