"""SPARQL queries in processes of their own, so that a query that takes too long can be killed; reads of the past.

child     the process that answers queries, one after the other
frames    what parent and child send each other
limits    what ends a question or a read of the past: its time, its memory, a server that stops
nesting   refuses texts that are nested so deeply that a parser would end its process
past      reads of earlier commits, in threads of their own
pool      the processes, and the queue before them
"""
