"""Replace the terms of quads by ids, and make a dictionary of all terms.

groups      the functions that tasks run: they give local ids, then global ids
encode      encode: all steps in their order
imports     finds documents that owl:imports names and that are not in the data
dictionary  reads Parquet files into the arrays of the engine and of its dictionary
"""
