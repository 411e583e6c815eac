"""What is read from a graph, as tables.

answers          Solutions, Triples and Matches
cells, columns   the cells of a table; columns of Python values
frames           tables of pandas, PyArrow and Polars
notebook         tables as HTML
"""
