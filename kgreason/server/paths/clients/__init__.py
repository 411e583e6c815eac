"""What a graph of another process asks (`kgreason.connect`), beside the paths that everybody uses.

exact          answers as values of the library
transactions   /transactions: several edits as one commit
subscribe      /subscribe: standing queries
reads          /match, /dump, /relations: what the engine knows beside SPARQL
"""
