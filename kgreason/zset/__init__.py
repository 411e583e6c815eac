"""Z-sets as columnar batches with weights (DBSP, section 2): rows of ids, each with an integer weight.

Import from the modules:

    zset    ZSet: the group operations, the normal form, distinct
    commit  the net change of a commit, computed from its events: assert this row, retract that row
    order   rows in lexicographic order, equal rows in groups

The package imports NumPy alone, so a program that only reads deltas loads no compiled kernels.
"""
