"""Standing queries. A standing query tells a callback which of its rows each commit lets appear and disappear.

reading    the triple patterns of a query, if its rows can be found from deltas
rows       the present rows, by the values of their variables
standing   StandingQuery: evaluates again what a commit may have changed
together   StandingQueries: standing queries that share a limit on their time
"""
