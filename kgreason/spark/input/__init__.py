"""Read RDF files as DataFrames of quads, with the same result as the reader in one process.

paths   decides how files are read, and divides them into pieces
lines   QuadReader: parses files in a task
terms   converts columns of texts between Arrow and a Dictionary
read    read: the tasks, and all steps together
triples  triples: DataFrames of a user's own as quads
"""
