"""Standing queries: queries whose rows are told as they appear and disappear with the commits.

reading    the triple patterns of a query, if its rows can be found from deltas
rows       the present rows, by the values of their variables
standing   StandingQuery: evaluates again what a commit may have changed
"""
