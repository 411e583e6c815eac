"""Paths for clients of kgreason alone (`kgreason.connect`). These clients also use the paths for everybody.

exact          answers as values of the library
transactions   /transactions: several edits as one commit
subscribe      /subscribe: standing queries
reads          /match, /dump, /relations: reads that SPARQL cannot express
"""
