"""The classes of an ontology: which is below which.

taxonomy        `classify`: the direct superclasses of named classes, and the classes that nothing can be in
"""
