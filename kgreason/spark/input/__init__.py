"""Read RDF files as DataFrames of quads, with the same result as the reader in one process.

paths   decides which paths are read as lines, and which as documents
lines   LineReader: parses lines in a task
terms   converts columns of texts between Arrow and a Dictionary
read    read: all steps together
triples  triples: DataFrames of a user's own as quads
"""
