"""What a commit did, and who hears of it.

delta        Delta: triples that appeared, disappeared or turned
relations    RelationDelta: the same for the facts of a relation
filtered     the part of a delta that has given terms, or asserted facts only
loaded       Loaded: the result of a load
log          what `logging` is told
subscribers  who is told, in this process
follower     Follower: the commits of a store, for a process that does not have the lock
"""
