"""Every benchmark, with its aim: the largest value that is good enough.

Names are what `scripts/bench --only` takes, and do not change: figures are compared from one release to the next.
"""

from __future__ import annotations

from benchmarks import changes, engine, files, footprint, starting
from benchmarks.model import Benchmark

_FLOOR = "Bootstrap from ids over hashing its derivations alone"

BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "engine-tc-1000",
        f"{_FLOOR}: transitive closure, 1,000 nodes, 10,000 edges",
        2.5,
        "x",
        engine.closure_of_dense_graph,
    ),
    Benchmark(
        "engine-tc-5000",
        f"{_FLOOR}: transitive closure, 5,000 nodes, 10,000 edges",
        2.5,
        "x",
        engine.closure_of_sparse_graph,
    ),
    Benchmark("engine-lubm5", f"{_FLOOR}: LUBM(5,0), OWL 2 RL", 2.5, "x", engine.lubm),
    Benchmark("engine-andersen", f"{_FLOOR}: points-to of a skewed program", 3, "x", engine.points_to),
    Benchmark("load-lubm5", "load into a store over Oxigraph's bulk load of the closure", 1.2, "x", files.load),
    Benchmark("materialize-lubm5", "materialize from file to file over reasonable", 0.2, "x", files.materialize),
    Benchmark("bytes-per-fact", "fact table and arrangements at LUBM(5,0)", 64, "bytes", footprint.fact),
    Benchmark("bytes-per-term", "dictionary at LUBM(5,0)", 160, "bytes", footprint.term),
    Benchmark("load-peak-memory", "peak memory of loading LUBM(5,0) over its file", 5, "x", footprint.load),
    Benchmark("one-triple", "one added triple at LUBM(5,0) over LUBM(1,0)", 1.5, "x", changes.one_triple),
    Benchmark("idle-rules", "Bootstrap of LUBM(1,0) with 10,000 idle rules over without", 1.2, "x", changes.idle),
    Benchmark("query-start", "kgreason query on a small store", 0.5, "s", starting.query),
    Benchmark("materialize-small", "kgreason materialize of a small ontology", 2, "s", starting.materialize),
    Benchmark("first-compile", "the same with an empty kernel cache", 30, "s", starting.first_compile),
)
