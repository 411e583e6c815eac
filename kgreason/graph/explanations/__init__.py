"""Explanations of single facts.

known          checks that a graph has a triple, without its engine
proofs         proofs of facts, and why a fact does not hold
unsatisfiable  the classes that nothing can be in
"""
