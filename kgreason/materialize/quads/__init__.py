"""Asserted quads.

asserted   `Quads`: which graph holds which asserted triple
documents  which quads belong to a graph, and which to an imported document
"""
