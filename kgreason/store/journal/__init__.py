"""The journal of a store: a log of RDF Patches.

record   Record: a commit as an RDF Patch
facts    facts of relations as rule text
journal  Journal: records in a file, synced
patch    RDF Patches that any program may have written
"""
