"""`Hierarchy`: the named classes of a graph, their direct superclasses, and how many members each has.

The graph has all pairs of a class and a superclass. A superclass is direct if no other superclass is between the two.
Equivalent classes stand side by side. Cost: two queries, and for each pair a look at the superclasses of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from kgreason.server.console.calls import Calls
from kgreason.server.console.markup import term
from kgreason.server.console.vocabulary import Words
from kgreason.server.problems import Problem

_PAIRS = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT DISTINCT ?class ?super {
  { ?class a owl:Class } UNION { ?class a rdfs:Class } UNION { ?class rdfs:subClassOf ?any }
  UNION { ?any rdfs:subClassOf ?class }
  FILTER(isIRI(?class) && !STRSTARTS(STR(?class), STR(owl:)))
  OPTIONAL { ?class rdfs:subClassOf ?super FILTER(isIRI(?super) && ?super != ?class && ?super != owl:Thing) }
} LIMIT 50000"""
_COUNTS = "SELECT ?class (COUNT(?thing) AS ?things) { ?thing a ?class } GROUP BY ?class"
_ACCEPT = {"accept": "text/tab-separated-values"}
_MOST = 1_000


class Hierarchy(NamedTuple):
    """The named classes of a graph, as three dicts by class (N-Triples text).

    They give the direct superclasses, the direct subclasses, and the number of members.
    """

    classes: Mapping[str, frozenset[str]]
    below: Mapping[str, tuple[str, ...]]
    members: Mapping[str, int]


async def read(calls: Calls) -> Hierarchy:
    """Read the hierarchy of a graph. Members are not counted if that takes too long. Raises Problem."""
    pairs = [(each[0], each[1] if len(each) > 1 else "") for each in await _rows(calls, _PAIRS)]
    try:
        members = {each[0]: int(each[1]) for each in await _rows(calls, _COUNTS)}
    except Problem:
        members = {}
    return hierarchy(pairs, members)


async def _rows(calls: Calls, query: str) -> list[list[str]]:
    async with calls.open("GET", "/query", {"query": query}, headers=_ACCEPT) as answer:
        return [line.split("\t") for line in (await answer.read()).decode().splitlines()[1:]]


def hierarchy(pairs: list[tuple[str, str]], members: Mapping[str, int]) -> Hierarchy:
    """Make the hierarchy from pairs (class, superclass). The superclass is "" if a class has none.

    `members` has the number of members of each class.

    >>> hierarchy([("c", "b"), ("c", "a"), ("b", "a"), ("a", "")], {}).classes["c"]
    frozenset({'b'})
    """
    above: dict[str, set[str]] = {}
    for name, super_ in pairs:
        above.setdefault(name, set()).update([super_] if super_ else [])
        if super_:
            above.setdefault(super_, set())
    direct = {name: frozenset(_direct(name, supers, above)) for name, supers in above.items()}
    below: dict[str, list[str]] = {}
    for name, supers in direct.items():
        for super_ in supers:
            below.setdefault(super_, []).append(name)
    return Hierarchy(direct, {name: tuple(sorted(names)) for name, names in below.items()}, members)


def _direct(name: str, supers: set[str], above: Mapping[str, set[str]]) -> set[str]:
    """Return the direct superclasses of the class `name`, without classes that are equivalent to `name`.

    `supers` are all its superclasses. `above` has all superclasses of each class.
    """
    strict = {each for each in supers if name not in above[each]}
    return {each for each in strict if not any(each in above[other] and other not in above[each] for other in strict)}


def tree_of(told: Hierarchy, words: Words, around: str | None = None) -> Markup:
    """Show the classes as a tree. With `around`, show only this class with its direct superclasses and subclasses."""
    if around is None:
        return _tree([name for name, supers in told.classes.items() if not supers], told, words, _MOST, depth=100)
    roots = sorted(told.classes[around])
    if not roots:
        return _tree([around], told, words, _MOST, depth=1)
    narrowed = dict.fromkeys(roots, (around,)) | {around: told.below.get(around, ())}
    return _tree(roots, told._replace(below=narrowed), words, _MOST, depth=2)


def _tree(roots: list[str], told: Hierarchy, words: Words, most: int, depth: int) -> Markup:
    parts: list[Markup] = []
    waiting: list[tuple[str, int] | None] = [(root, 0) for root in sorted(roots, reverse=True)]
    while waiting and most:
        if (item := waiting.pop()) is None:
            parts.append(Markup("</ul></li>"))
            continue
        name, level = item
        most -= 1
        inner = told.below.get(name, ()) if level < depth else ()
        head = Markup('<li>{}<span class="count">{}</span>').format(term(name, words), _count(told.members.get(name)))
        parts.append(head + (Markup("<ul>") if inner else Markup("</li>")))
        if inner:
            waiting.append(None)
            waiting += [(each, level + 1) for each in reversed(inner)]
    return Markup('<ul class="tree">{}</ul>').format(Markup("").join(parts))


def _count(members: int | None) -> str:
    return f"{members:,}" if members else ""
