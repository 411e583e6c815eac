"""RDF files -> DataFrames of quads, as the reader of one process would have them.

paths   which paths are read as lines, and which as documents
lines   what a task does with lines
source  RdfDataSource: one file a task, in any format
terms   columns of texts in Arrow and in a Dictionary
read    read: all of it
"""
