"""The workers of a circuit, which divide the work of large levels.

crew      Crew: the workers, and what they do together
keepers   Gatekeepers: the workers as keepers of parts of the arrangements
standby   the thread of a worker, which stands by for the next call
"""
