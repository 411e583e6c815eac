"""The controls that pages of the console share.

- `editor`: the editor for SPARQL and Turtle
- `listing`: a table whose rows are sorted and shown a page at a time
- `terms`: a field for a term, which offers the terms whose label or name has the typed words
- `graphs`: the named graphs, and a field for one of them
- `past`: the commits of the history, and the commit at a moment
- `files`: a field for files, which the browser sends to the paths of the server
"""
