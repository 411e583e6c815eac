"""The facts of a circuit.

facts       Facts: a reader of the facts
table       FactTable: the same with what changes the facts; a row for each fact, with state, stamp and support
matching    kernels that find the new facts that match atoms, and for NOT the values that have no match
hash_table  the hash table over the rows, for kernels: look a row up, take it out
"""
