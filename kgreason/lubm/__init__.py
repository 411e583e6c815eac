"""LUBM, the Lehigh University Benchmark: data of any size, and its 14 queries.

Sources: Guo, Pan and Heflin, *LUBM: A Benchmark for OWL Knowledge Base Systems* (2005), and the data profile that goes
with it. The generator is written from the profile: it has the names, the shape and the counts of the original, not its
random numbers.

Invariant: a department's lines are a function of (seed, university, department) alone. They do not depend on the number
of universities, on the first university, or on the version of Python. Cost: some 6,700 triples for a department,
100,000 to 170,000 for a university, at a million triples a second; only one department is in memory at a time.
"""

from kgreason.lubm.generator import generate, write
from kgreason.lubm.query_texts import queries

__all__ = ["generate", "queries", "write"]
