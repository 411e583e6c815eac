"""EL ontologies of many classes (`anatomy`): classified from a file, beside ELK 0.6, and edited.

    against_elk   `kgreason classify` over ELK through the OWL API, in turns, each from OWL functional syntax to a file
    memory        the peak memory of the two
    an_axiom      an axiom added to a classified ontology and removed again, over its classification
    cost          processor time for a triple or subsumption of ontologies of one depth, over that of a triple of LUBM
    plain_cost    the same under owl2rl: generated axioms of many kinds, and published ontologies

ELK needs Java and Maven, which fetches it; without them the benchmark is skipped. The results must agree: ELK's direct
superclasses are those of kgreason, but for classes that are equal. Cost: minutes for 300,000 classes.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks import anatomy
from benchmarks.lubm import ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.process import Outcome, kgreason, run
from benchmarks.workspace import SkippedError, Workspace
from kgreason.graph.knowledge_graph import KnowledgeGraph

_HERE = Path(__file__).parent / "rivals"
_THING = "http://www.w3.org/2002/07/owl#Thing"
_EDITS = 30


def against_elk(classes: int, rounds: int, workspace: Workspace) -> Measurement:
    """`kgreason classify` of an ontology with so many classes, over ELK: seconds, and peak memory as a further value.

    `rounds`: how often each runs, in turns.
    """
    elk, ours = _elk(workspace), kgreason("classify", "anatomy.ofn", "-o", "ours.nt")
    anatomy.write_functional(workspace.folder / "anatomy.ofn", classes)
    pairs = [(run(ours, workspace.folder), run(elk, workspace.folder)) for _ in range(rounds)]
    _check(workspace.folder)
    seconds = median(one.seconds / other.seconds for one, other in pairs)
    memory = median(one.peak / other.peak for one, other in pairs)
    best = [min(each.seconds for each in side) for side in zip(*pairs, strict=True)]
    others: dict[str, tuple[float, str]] = {
        "memory": (memory, "x"),
        "kgreason": (best[0], "s"),
        "elk": (best[1], "s"),
        "kgreason-memory": (_peak(one for one, _ in pairs), "GB"),
        "elk-memory": (_peak(other for _, other in pairs), "GB"),
    }
    return Measurement(seconds, f"processes, {rounds} rounds in turns", others)


def _peak(outcomes: Iterator[Outcome]) -> float:
    return min(each.peak for each in outcomes) / 1e9


def _elk(workspace: Workspace) -> list[str | Path]:
    """The command line of ELK. Raises SkippedError without Java or Maven, or if Maven does not find ELK."""
    java, maven = shutil.which("java"), shutil.which("mvn")
    if java is None or maven is None:
        raise SkippedError("ELK needs Java and Maven (java, mvn)")
    library = workspace.folder / "elk"
    command = [maven, "-q", "-B", "-f", str(_HERE / "elk.xml"), "dependency:copy-dependencies"]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={library}"], cwd=workspace.folder, capture_output=True, check=False
    )
    if done.returncode or not library.exists():
        raise SkippedError("Maven does not find ELK")
    return [java, "-Xmx16g", "-cp", f"{library}/*", _HERE / "Elk.java", "anatomy.ofn", "theirs.txt"]


def _check(folder: Path) -> None:
    """Compare the direct superclasses. Raises AssertionError if they differ by more than classes that are equal."""
    links, same = set[tuple[str, str]](), dict[str, str]()
    with (folder / "ours.nt").open() as file:
        for line in file:
            name, predicate, above = (word.strip("<>") for word in line.split()[:3])
            if predicate.endswith("#equivalentClass"):
                same[above] = name
            else:
                links.add((name, above))
    with (folder / "theirs.txt").open() as file:
        rows = (line.split() for line in file)
        theirs = {(same.get(name, name), same.get(above, above)) for name, above in rows if above != _THING}
    assert theirs == links, f"{len(theirs - links)} links are ELK's alone, {len(links - theirs)} kgreason's alone"


def an_axiom(classes: int, workspace: Workspace) -> Measurement:
    """One axiom added to a classified ontology and removed again: the median of the slower side, over the load.

    The axioms are a subclass, a definition and a transitive role in turns; the last, and a chain, are further values.
    """
    anatomy.write_turtle(file := workspace.folder / "anatomy.ttl", classes)
    with KnowledgeGraph.open(rules=["owl2el"], history="all") as graph:
        begun = time.perf_counter()
        graph.load(file)
        whole = time.perf_counter() - begun
        found = {
            kind: median(_edited(graph, text.format(classes - 1 - 7 * number)) for number in range(_EDITS))
            for kind, text in _AXIOMS.items()
        }
        found["chain"] = _edited(graph, ":r9 owl:propertyChainAxiom ( :r10 :r11 ) .")
    others = {f"{kind}-seconds": (seconds, "s") for kind, seconds in found.items()}
    worst = max(found["subclass"], found["definition"])
    return Measurement(worst / whole, f"in process, {_EDITS} edits of a kind", {**others, "load": (whole, "s")})


_AXIOMS = {
    "subclass": ":C{0} rdfs:subClassOf :C17 .",
    "definition": ":New{0} owl:equivalentClass [ owl:intersectionOf ( :C{0}"
    " [ a owl:Restriction ; owl:onProperty :r7 ; owl:someValuesFrom :C40 ] ) ] .",
}
_PREFIXES = {
    "": anatomy.NAMESPACE,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
}


def cost(copies: Sequence[int], workspace: Workspace) -> Measurement:
    """The processor time for each triple and subsumption, in the worst of some sizes, over that of a triple of LUBM.

    The ontologies have `copies` parts of 6,000 classes and about 10,000 axioms. A load of LUBM(5,0) under owl2rl is
    counted for each triple of its closure. Further values: microseconds for each size; the last size over the first.
    """
    found = dict[str, tuple[float, str]]()
    for number in (copies[0], *copies):  # the first load of a process also loads the kernels
        anatomy.write_functional(file := workspace.folder / "copies.ofn", _PART, copies=number)
        found[f"{number * _PART_AXIOMS}-axioms"] = _cost(["owl2el"], file), "us"
    lubm = _cost(["owl2rl"], workspace.lubm(5), workspace.ontology(ONTOLOGY))
    costs = [each for each, _ in found.values()]
    others = {**found, "growth": (costs[-1] / costs[0], "x"), "lubm": (lubm, "us")}
    return Measurement(max(costs) / lubm, "in process", others)


_PART, _PART_AXIOMS = 6_000, 10_000
_ROUNDS = 3


def plain_cost(sizes: Sequence[int], workspace: Workspace) -> Measurement:
    """The processor time under owl2rl for each triple of the closure, in the worst ontology, over that of LUBM(5,0).

    The ontologies are generated ones of `sizes` axioms, and published ones. Each is loaded in turns with LUBM(5,0); the
    ratio is the median of these rounds. Further values: the ratio of each ontology.
    """
    files = {f"{size}-axioms": _plain(workspace.folder / f"plain{size}.nt", size) for size in sizes}
    files |= {name: workspace.shared(*path) for name, path in _PUBLISHED.items()}
    lubm = workspace.lubm(5), workspace.ontology(ONTOLOGY)
    ratios: dict[str, list[float]] = {name: [] for name in files}
    for number in range(1 + _ROUNDS):  # the first load of a process also loads the kernels
        base = _cost(["owl2rl"], *lubm)
        for name, file in files.items():
            ratio = _cost(["owl2rl"], file) / base
            ratios[name] += [ratio] if number else []
    found: dict[str, tuple[float, str]] = {name: (median(each), "x") for name, each in ratios.items()}
    return Measurement(max(value for value, _ in found.values()), f"in process, {_ROUNDS} rounds in turns", found)


_PUBLISHED = {
    "kidney": ("el", "kidney.stripped.ttl.gz"),
    "pato": ("el", "pato-base.stripped.ttl.gz"),
    "brick": ("ontologies", "Brick-1.1.n3.gz"),
}


def _plain(path: Path, axioms: int) -> Path:
    """Write about so many axioms as N-Triples: a hierarchy of 8 levels, properties, restrictions, disjointness."""
    classes, properties, restrictions = axioms * 6 // 10, axioms // 20, axioms // 10
    width, rdfs, owl = classes // 8, _PREFIXES["rdfs"], _PREFIXES["owl"]
    kind, every = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", classes + classes // 8
    names = [f"<{anatomy.NAMESPACE}C{number}>" for number in range(every)]
    links = [f"<{anatomy.NAMESPACE}p{number}>" for number in range(properties)]
    with path.open("w") as file:
        for number, name in enumerate(names):
            file.write(f"{name} {kind} <{owl}Class> .\n")
            if number >= width:
                file.write(f"{name} <{rdfs}subClassOf> {names[number - width]} .\n")
        for number, name in enumerate(links):
            file.write(f"{name} {kind} <{owl}ObjectProperty> .\n{name} <{rdfs}domain> {names[number]} .\n")
            file.write(f"{name} <{rdfs}range> {names[number + 1]} .\n")
            if number >= properties // 4:
                file.write(f"{name} <{rdfs}subPropertyOf> {links[number - properties // 4]} .\n")
        for number in range(restrictions):
            file.write(f"_:r{number} <{owl}onProperty> {links[number % properties]} .\n")
            file.write(f"_:r{number} <{owl}someValuesFrom> {names[number * 7_919 % every]} .\n")
            file.write(f"_:r{number} <{rdfs}subClassOf> {names[number * 104_729 % every]} .\n")
            file.write(f"{names[number * 31 % every]} <{owl}disjointWith> {names[(number * 37 + 1) % every]} .\n")
    return path


def _cost(rules: list[str], *files: Path) -> float:
    """The microseconds of processor time that loading takes for each triple of the closure."""
    with KnowledgeGraph.open(rules=rules, late=True) as graph:
        begun = time.process_time()
        graph.load(*files)
        return 1e6 * (time.process_time() - begun) / len(graph)


def _edited(graph: KnowledgeGraph, text: str) -> float:
    """The seconds that the slower of two edits takes: triples are added, and removed again."""
    begun = time.perf_counter()
    commit = graph.add(text, prefixes=_PREFIXES).commit
    between = time.perf_counter()
    graph.revert(commit)
    return max(between - begun, time.perf_counter() - between)
