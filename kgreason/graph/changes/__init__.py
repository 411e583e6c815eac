"""What a commit did, and who hears of it.

delta Delta: triples that appeared, disappeared or turned log what `logging` is told subscribers who is told, in this
process follower Follower: the commits of a store, for a process that does not have the lock
"""
