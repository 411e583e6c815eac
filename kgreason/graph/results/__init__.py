"""The results of queries and matches, and their tables.

answers          Solutions, Triples and Matches
questions        select, ask and construct, by one method query
cells, columns   the cells of a table; columns of Python values
frames           tables of pandas, PyArrow and Polars
notebook         tables as HTML
"""
