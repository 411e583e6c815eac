"""What users hand over.

arguments  checks of arguments
terms      a term as a user may write it -> N-Triples text
quads      text, rows and values of pyoxigraph -> quads of ids
"""
