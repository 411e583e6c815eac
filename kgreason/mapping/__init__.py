"""Rows of tables as triples: what a column means, and its values as RDF terms.

template   IriTemplate: an IRI with {column} in it; its values for the rows of a batch
lexical    ColumnValues: the values of an Arrow column as the lexical forms of an XSD datatype
mapping    RowMapping: which triples a row gives
triples    the triples of a batch, as columns of N-Triples terms, or as lines of N-Quads

The input are record batches of Arrow. This room knows neither pandas nor Polars nor a graph, so a process that has
batches alone can use it, such as a worker of Spark.
"""
