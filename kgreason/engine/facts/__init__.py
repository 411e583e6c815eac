"""The facts of a circuit.

table       FactTable: a row for each fact, with state, stamp and support
hash_table  the kernels that look rows up and take them out
"""
