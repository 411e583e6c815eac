"""Arguments, terms and quads as users pass them to a graph.

arguments  checks of arguments
terms      a term as a user may write it -> N-Triples text
quads      text, rows and values of pyoxigraph -> quads of ids
"""
