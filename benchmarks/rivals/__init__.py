"""Other systems, and the programs that run them: none is a dependency, and each is skipped with its reason.

systems      a `System` closes a graph and changes it: kgreason, differential dataflow, DYRE, Soufflé
columns      the same work by all systems, in turns, as one table (`scripts/bench --rivals`)
bulk_load.py, reason.py, Elk.java
             whole processes, as a user would write them
differential, dyre
             small programs that cargo builds
"""
