"""Where a graph lives.

folder               Folder and Manifest: the files of a store, its lock
snapshot             the state after a commit, as files
journal/             the commits since the snapshot
oxigraph/            the rows that SPARQL sees
spellings            which literals Oxigraph cannot tell apart
rows                 rows of ids -> rows of the store
homes/               Home: disk, memory, reader, past, fork: the steps of a commit, in their order
"""
