"""Every benchmark, with its aim: the largest value that is good enough.

`scripts/bench --only` takes the names. A name does not change, so that figures of different releases can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks import (
    axioms,
    changes,
    churn,
    classifying,
    cliques,
    closures,
    commits,
    door,
    elastic,
    engine,
    files,
    footprint,
    language,
    long_rules,
    reopening,
    spark,
    starting,
    twins,
    validating,
    visible,
)
from benchmarks.model import Benchmark
from benchmarks.served import load as served
from benchmarks.states import SIDES

_FLOOR = "Bootstrap from ids over hashing its derivations alone"

_LOADING: tuple[Benchmark, ...] = (
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
    Benchmark("engine-lubm10", f"{_FLOOR}: LUBM(10,0), OWL 2 RL", 2, "x", engine.lubm10),
    Benchmark("engine-andersen", f"{_FLOOR}: points-to of a skewed program", 3, "x", engine.points_to),
    *(
        Benchmark(
            f"threads-{name}",
            f"Bootstrap from ids on two threads over one: {what}",
            1 / 1.6,
            "x",
            partial(engine.two_threads, make),
        )
        for name, what, make in (
            ("tc-1000", "transitive closure, 1,000 nodes, 10,000 edges", engine.dense),
            ("tc-5000", "transitive closure, 5,000 nodes, 10,000 edges", engine.sparse),
            ("lubm10", "LUBM(10,0), OWL 2 RL", engine.universities),
            ("andersen", "points-to of a skewed program", engine.pointers_of),
            ("el", "EL completion of 2,000 classes", engine.completion),
        )
    ),
    Benchmark("load-lubm5", "load into a store over Oxigraph's bulk load of the closure", 1, "x", files.load),
    Benchmark("load-threads", "load of LUBM(10,0) on two cores over one", 1 / 1.4, "x", files.two_cores),
    Benchmark("materialize-lubm5", "materialize from file to file over reasonable", 0.12, "x", files.materialize),
    Benchmark("bytes-per-fact", "fact table and arrangements at LUBM(5,0)", 64, "bytes", footprint.fact),
    Benchmark("bytes-per-term", "dictionary at LUBM(5,0)", 160, "bytes", footprint.term),
    Benchmark("load-peak-memory", "peak memory of loading LUBM(5,0) over its file", 5, "x", footprint.load),
    Benchmark("one-triple", "one added triple at LUBM(5,0) over LUBM(1,0)", 1.5, "x", changes.one_triple),
    Benchmark("idle-rules", "Bootstrap of LUBM(1,0) with 10,000 idle rules over without", 1.2, "x", changes.idle),
    Benchmark("query-start", "kgreason query on a small store", 0.5, "s", starting.query),
    Benchmark("materialize-small", "kgreason materialize of a small ontology", 2, "s", starting.materialize),
    Benchmark("first-compile", "the same with an empty kernel cache", 15, "s", starting.first_compile),
    Benchmark("door-first", "the first command after pip install of the wheel", 3, "s", door.first_command),
    Benchmark("door-first-313", "the same with Python 3.13", 3, "s", door.first_command_313),
    Benchmark("door-second", "the same command again, from the wheel", 0.8, "s", door.second_command),
    Benchmark("door-edit-lubm5", "kgreason update of a store of LUBM(5,0), from the wheel", 0.6, "s", door.edit),
    Benchmark("door-import", "import kgreason, with the start of Python", 0.06, "s", door.importing),
    Benchmark("door-kernels", "dense closure: the wheel's kernels over Numba's", 1.05, "x", door.kernels),
)

_SIZES = {"1pct": ("1 % of the facts", commits.hundredth), "edge": ("one edge", commits.single)}
_DENSE, _SPARSE = (f"closure of {nodes:,} nodes and 10,000 edges" for nodes in (1_000, 5_000))
_COMPLETION = "EL completion of 2,000 classes"


def _over_bootstrap(
    size: str, name: str, scene: commits.Scene, what: str, aims: tuple[float, float]
) -> Iterator[Benchmark]:
    """Facts deleted and facts added, each with its aim."""
    facts, measure = _SIZES[size]
    for verb, side, aim in zip(("delete", "add"), SIDES, aims, strict=True):
        run = partial(measure, scene, side)
        yield Benchmark(f"{verb}-{size}-{name}", f"{facts} {side} over Bootstrap: {what}", aim, "x", run)


_CHANGING: tuple[Benchmark, ...] = (
    *_over_bootstrap("1pct", "lubm5", commits.lubm5, "LUBM(5,0)", (1 / 25, 1 / 60)),
    *_over_bootstrap("1pct", "tc-1000", commits.dense, _DENSE, (0.06, 1 / 20)),
    *_over_bootstrap("1pct", "tc-5000", commits.sparse, _SPARSE, (0.35, 1)),
    *_over_bootstrap("1pct", "el", commits.completion, _COMPLETION, (0.3, 0.12)),
    *_over_bootstrap("edge", "tc-1000", commits.dense, _DENSE, (1 / 500, 1 / 10_000)),
    *_over_bootstrap("edge", "tc-5000", commits.sparse, _SPARSE, (1 / 500, 1 / 10_000)),
    Benchmark(
        "one-triple-lubm1",
        "one triple deleted or added in the engine: LUBM(1,0)",
        20,
        "us",
        partial(commits.triple, commits.lubm1),
    ),
    Benchmark(
        "one-triple-lubm5",
        "one triple deleted or added in the engine: LUBM(5,0)",
        20,
        "us",
        partial(commits.triple, commits.lubm5),
    ),
    Benchmark(
        "axiom-low",
        "a superclass of a leaf class comes or goes, over Bootstrap: LUBM(5,0)",
        1 / 100,
        "x",
        partial(axioms.edited, axioms.LOW),
    ),
    Benchmark(
        "axiom-top",
        "a superclass of ub:Person comes or goes, over Bootstrap: LUBM(5,0)",
        1 / 2,
        "x",
        partial(axioms.edited, axioms.TOP),
    ),
    Benchmark(
        "axiom-transitive",
        "a transitive property goes or comes, over Bootstrap: LUBM(5,0)",
        1 / 2,
        "x",
        partial(axioms.edited, axioms.TRANSITIVE),
    ),
    Benchmark(
        "auto-lubm5",
        "auto over the better strategy of each commit: LUBM(5,0)",
        1.3,
        "x",
        partial(elastic.auto, commits.lubm5),
    ),
    Benchmark(
        "auto-tc-1000",
        f"auto over the better strategy of each commit: {_DENSE}",
        1.3,
        "x",
        partial(elastic.auto, commits.dense),
    ),
    *(
        Benchmark(
            f"law-{name}",
            f"auto over the better strategy, the worst commit: {what}",
            2,
            "x",
            partial(elastic.worst, scene),
        )
        for name, what, scene in (
            ("lubm5", "LUBM(5,0)", commits.lubm5),
            ("tc-1000", _DENSE, commits.dense),
            ("tc-5000", _SPARSE, commits.sparse),
            ("andersen", "points-to of a skewed program", commits.points_to),
            ("el", _COMPLETION, commits.completion),
            ("brick", "Brick with a building", commits.brick),
        )
    ),
    Benchmark(
        "visible-memory",
        "one triple until SPARQL sees it over Oxigraph's update, in memory: LUBM(5,0)",
        20,
        "x",
        visible.in_memory,
    ),
    Benchmark(
        "visible-disk",
        "one triple until SPARQL sees it over Oxigraph's update and a sync: LUBM(5,0)",
        1.5,
        "x",
        visible.on_disk,
    ),
    Benchmark("visible-tc-1000", f"1 % of edges until SPARQL sees it over Bootstrap: {_DENSE}", 1, "x", visible.dense),
    Benchmark("reopen-lubm5", "first edit of a closed LUBM(5,0) over its load", 1 / 5, "x", reopening.lubm),
    Benchmark("churn", "memory after a million pairs of single commits over before", 1.2, "x", churn.memory),
)

_CLIQUE = Benchmark(
    "clique-1000", "1,000 equal terms with 10 facts each over the facts alone", 10, "x", cliques.beside_plain_facts
)

_LONG_RULE = Benchmark("rule-200", "a rule of 200 atoms over one of 100", 5, "x", long_rules.many_over_few)

_TWINS = Benchmark(
    "twins-2000", "a restriction among 2,000 that say the same over one among 500", 1.5, "x", twins.many_over_few
)

_CLOSURES: tuple[Benchmark, ...] = tuple(
    Benchmark(
        f"closure-{name}-{rival}",
        f"from a file to the closed graph over {rival}: {what}",
        aim,
        "x",
        partial(closures.beside, name, closures.RIVALS[rival]),
    )
    for name, what in closures.GRAPHS.items()
    for rival, aim in (("reasonable", 1), ("owlrl", 1 / 100))
)

_VALIDATION = (
    Benchmark(
        "validate-pyshacl", "SHACL validation of a department of LUBM over pySHACL", 1, "x", validating.beside_pyshacl
    ),
    Benchmark(
        "validate-first", "first validation of LUBM(5,0) over pySHACL", 1 / 20, "x", partial(validating.first, "lubm5")
    ),
    Benchmark(
        "validate-brick",
        "first validation of Brick and VM3A over pySHACL",
        1 / 20,
        "x",
        partial(validating.first, "brick"),
    ),
    Benchmark("validate-edit", "one edit over a first validation: LUBM(5,0)", 1 / 1000, "x", validating.edit),
    *(
        Benchmark(
            f"validate-files-{name}",
            f"validation of LUBM(1,0) from files to results over {name}",
            1,
            "x",
            partial(validating.beside, name),
        )
        for name in validating.RIVALS
    ),
)

_LANGUAGE: tuple[Benchmark, ...] = (
    Benchmark("filter-million", "FILTER over a million numbers over the rule without it", 3, "x", language.filtered),
    Benchmark("function-string", "a function of SPARQL for a distinct string", 6, "us", language.function),
    Benchmark("count-large", "COUNT under one change: a group of 100,000 over one of 100", 1.2, "x", language.counted),
    Benchmark("not-lubm5", "adding a rule with NOT over the rule without it: LUBM(5,0)", 2, "x", language.negated),
    Benchmark("text-editor", "one insertion into a replicated text over Bootstrap", 1 / 2000, "x", language.editor),
    Benchmark("firewalls", "one link among a million over one among ten thousand", 1.5, "x", language.firewalls),
)

_SERVED: tuple[Benchmark, ...] = (
    Benchmark(
        "served-reads", "32 readers alone over 32 readers beside 4 writers, served: LUBM(5)", 1 / 0.7, "x", served.reads
    ),
    Benchmark("served-rows", "1,000 rows over HTTP over the same rows as JSON in process", 1.3, "x", served.rows),
    Benchmark("served-tail", "the slowest of a hundred served edits over their median", 10, "x", served.tail),
    Benchmark("served-memory", "memory of a server after 60 s of load over after 15 s", 1.1, "x", served.memory),
)

_CLASSIFYING: tuple[Benchmark, ...] = (
    Benchmark(
        "el-classify-20000",
        "an EL ontology of 20,000 classes classified from file to file, over ELK 0.6",
        1.5,
        "x",
        partial(classifying.against_elk, 20_000, 3),
    ),
    Benchmark(
        "el-axiom",
        "an axiom added to an EL ontology of 20,000 classes, or removed, over its load",
        1 / 500,
        "x",
        partial(classifying.an_axiom, 20_000),
    ),
    Benchmark(
        "el-cost",
        "a triple or subsumption of EL ontologies of 10,000 to 300,000 axioms over a triple of LUBM(5,0)",
        5,
        "x",
        partial(classifying.cost, (1, 3, 10, 30)),
    ),
    Benchmark(
        "axiom-cost",
        "a triple of the closure of large ontologies over a triple of LUBM(5,0), processor time",
        5,
        "x",
        partial(classifying.plain_cost, (10_000, 100_000)),
    ),
)

BENCHMARKS = (
    *_LOADING,
    *_CHANGING,
    *_LANGUAGE,
    *_SERVED,
    *_CLASSIFYING,
    *_CLOSURES,
    *_VALIDATION,
    _CLIQUE,
    _TWINS,
    _LONG_RULE,
)

ON_SPARK: tuple[Benchmark, ...] = (
    Benchmark("spark-linear", "load by Spark: a triple at 50 universities over 20", 1.1, "x", spark.linear),
    Benchmark("spark-lubm20", "load of 20 universities by Spark over in process", 3, "x", spark.beside_local),
    Benchmark("spark-little", "memory of Java over the data that it closes", 1 / 2, "x", spark.little_memory),
    Benchmark("spark-close", "closing step of 20 universities on Spark over a Bootstrap", 3, "x", spark.closing_step),
    Benchmark("spark-files", "closure of 10 universities on Spark over in process", 2.5, "x", spark.files_to_files),
    Benchmark("spark-cores", "closure of 20 universities on Spark, two cores over one", 1 / 1.6, "x", spark.two_cores),
    Benchmark("spark-flat", "closure on Spark: a triple at 100 universities over 5", 1.2, "x", spark.flat),
    Benchmark("spark-cluster", "closure of LUBM(1) on two workers of one core", 30, "s", spark.small_cluster),
    Benchmark("spark-workers", "memory of a worker, of 8 that close 100 universities", 1, "GB", spark.little_workers),
)
"""The benchmarks that take too long to run with the others."""

ON_REQUEST: tuple[Benchmark, ...] = (
    Benchmark(
        "el-classify",
        "an EL ontology of 300,000 classes classified from file to file, over ELK 0.6",
        1.5,
        "x",
        partial(classifying.against_elk, 300_000, 1),
    ),
)
"""The benchmarks that only `--only` runs, since they need much time and memory."""

ALL = (*BENCHMARKS, *ON_SPARK, *ON_REQUEST)
