"""SPARQL queries in processes of their own, so that a query that takes too long can be killed; reads of the past.

aside     calls that need no engine: reads of earlier commits, the writing of answers
child     the process that answers queries, one after the other
frames    what parent and child send each other
limits    what ends a question or another long call: its time, its memory, a server that stops
nesting   refuses texts that are nested so deeply that a parser would end its process
pool      the processes, and the queue before them
steps     the edits of a transaction, in pieces that the writer need not parse
"""
