"""The facts of a circuit.

facts       Facts: a reader of the facts
table       FactTable: the same with what changes the facts; a row for each fact, with state, stamp and support
antijoin    a kernel for NOT: which values have no match
matching    a kernel that finds the new facts that match atoms
hash_table  the hash table over the rows, for kernels: look a row up, take it out
"""
