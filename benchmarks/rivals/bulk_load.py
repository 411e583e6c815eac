"""Oxigraph's own bulk load: `python bulk_load.py STORE FILE.nt`. A whole process, as a user would write it."""

import sys

import pyoxigraph

if __name__ == "__main__":
    folder, file = sys.argv[1:]
    pyoxigraph.Store(folder).bulk_load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
