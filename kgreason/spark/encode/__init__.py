"""Replace the terms of quads by ids, and make a dictionary of all terms.

groups      the functions that tasks run: ids that are valid in a group of rows, then ids of the whole data
encode      encode: all steps in their order
dictionary  reads Parquet files of Spark into the engine's arrays and into the dictionary
"""
