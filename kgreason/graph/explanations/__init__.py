"""Explanations of single facts.

known          checks that a graph has a triple, without its engine
described      adds to proofs what their blank nodes stand for
proofs         proofs of facts, and why a fact does not hold
unsatisfiable  the classes that nothing can be in
"""
