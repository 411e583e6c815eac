"""Paths that only a client of kgreason uses (`kgreason.connect`); it also uses the paths for everybody.

exact          answers as values of the library
transactions   /transactions: several edits as one commit
subscribe      /subscribe: standing queries
reads          /match, /dump, /relations: what the engine knows beside SPARQL
"""
