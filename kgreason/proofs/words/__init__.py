"""Proofs in the words of ontologists.

folding      leaves out the steps that only take lists and expressions apart
naming       the names of terms: prefixes, labels, and class expressions in Manchester syntax for blank nodes
"""
