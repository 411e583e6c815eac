"""ELK's own test suite as it lies in the shared data: ontologies with the taxonomies that ELK expects of them."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.oracle.graph import Triple
from tests.oracle.vocabulary import OWL, RDF, RDFS

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "el"
IS_THERE = FOLDER.is_dir()
MISSING = f"no shared test data: {FOLDER} is missing"
THING, NOTHING = f"<{OWL}Thing>", f"<{OWL}Nothing>"
SUB, SAME, TYPE = f"<{RDFS}subClassOf>", f"<{OWL}equivalentClass>", f"<{RDF}type>"


class Case(NamedTuple):
    """An ontology and the expected result, both in functional syntax. `predicate` is that of the triples that count."""

    name: str
    predicate: str
    ontology: str
    expected: str


@cache
def cases(kind: str) -> list[Case]:
    """The cases of `kind`, "classification" or "realization"."""
    if not IS_THERE:
        return []
    end, predicate = ("taxonomy", SUB) if kind == "classification" else ("instancetaxonomy", TYPE)
    with tarfile.open(FOLDER / "elk-suite.tar.gz") as packed:
        texts = {
            member.name: file.read().decode()
            for member in packed
            if f"/{kind}/" in f"/{member.name}" and (file := packed.extractfile(member))
        }
    names = sorted(path.removesuffix(".owl") for path in texts if path.endswith(".owl"))
    return [
        Case(name.rsplit("/", 1)[-1], predicate, _plain(texts[f"{name}.owl"]), _plain(texts[f"{name}.{end}"]))
        for name in names
        if f"{name}.{end}" in texts
    ]


def _plain(text: str) -> str:
    """The text with an absolute name of the ontology, as OWL wants it."""
    return re.sub(r"Ontology\(<[^>]*>", "Ontology(<urn:ontology>", text)


def classes_of(triples: Iterable[Triple]) -> set[str]:
    """The names of classes in subsumptions, declarations and types."""
    found = {THING, NOTHING}
    for s, p, o in triples:
        is_declared = p == TYPE and o == f"<{OWL}Class>"
        found |= {s, o} if p in (SUB, SAME) else {s} if is_declared else {o} if p == TYPE and OWL not in o else set()
    return found


def closed(triples: Iterable[Triple], names: Iterable[str]) -> set[Triple]:
    """Subsumptions and types among named classes closed as a taxonomy means them.

    They are transitive, and what is below owl:Nothing is below everything.
    """
    rows = list(triples)
    above: dict[str, set[str]] = {name: {name, THING} for name in names}
    above[NOTHING] |= above.keys()
    types: dict[str, set[str]] = {}
    for s, p, o in rows:
        if p in (SUB, SAME) and s in above and o in above:
            above[s].add(o)
        if p == SAME and s in above and o in above:
            above[o].add(s)
        if p == TYPE and o in above:
            types.setdefault(s, set()).add(o)
    while True:
        more = {name: {d for c in supers for d in above[c]} | above[THING] for name, supers in above.items()}
        if more == above:
            break
        above = more
    found = {(c, SUB, d) for c, supers in above.items() for d in supers if c not in (d, NOTHING) and d != THING}
    return found | {(i, TYPE, d) for i, some in types.items() for c in some for d in above[c] if d != THING}
