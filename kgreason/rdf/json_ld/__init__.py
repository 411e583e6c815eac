"""Prepare JSON-LD for pyoxigraph's parser, which neither loads contexts nor reads all type maps.

contexts     find the contexts that a document names, in files, and put their texts together
document     the text of a document with its contexts in it
tags         language tags as they are written
type_maps    write type maps as lists of nodes
"""
