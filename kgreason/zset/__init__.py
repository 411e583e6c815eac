"""Z-sets as columnar batches with weights (DBSP, section 2): rows of ids, each with an integer weight.

Import from the modules:

    zset    ZSet: the group operations, the normal form, distinct
    commit  the signed events of a commit -> what they change
    order   rows in lexicographic order, equal rows in groups

NumPy alone: what reads a delta need not compute.
"""
