"""Quads of texts -> quads of ids, and a dictionary.

groups      what the tasks do: local ids, then global ids
encode      encode: the steps in their order
imports     documents that owl:imports asks for, and that are missing
dictionary  Parquet -> the arrays of the engine and of its dictionary
"""
