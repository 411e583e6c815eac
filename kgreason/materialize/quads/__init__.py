"""Asserted quads.

asserted   Quads: which graph holds which asserted triple
documents  which quads a graph holds, and which an imported document holds
"""
