"""The results of queries and matches, and their tables.

answers          Solutions, Triples and Matches
cells, columns   the cells of a table; columns of Python values
frames           tables of pandas, PyArrow and Polars
notebook         tables as HTML
"""
