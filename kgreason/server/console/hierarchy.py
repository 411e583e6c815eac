"""`Hierarchy`: the named classes of a graph, their direct superclasses, and how many members each has.

The graph has all pairs of a class and a superclass. A superclass is direct if no other superclass is between the two.
Equivalent classes stand side by side. Cost: two queries, and for each pair a look at the superclasses of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from kgreason.server.console.calls import Calls
from kgreason.server.console.markup import plain_text, term
from kgreason.server.console.vocabulary import Words, local_name
from kgreason.server.problems import Problem

_PAIRS = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT DISTINCT ?class ?super {
  { ?class a owl:Class } UNION { ?class a rdfs:Class } UNION { ?class rdfs:subClassOf ?any }
  UNION { ?any rdfs:subClassOf ?class }
  FILTER(isIRI(?class) && !STRSTARTS(STR(?class), STR(owl:)))
  OPTIONAL { ?class rdfs:subClassOf ?super FILTER(isIRI(?super) && ?super != ?class && ?super != owl:Thing) }
} LIMIT 50000"""
_COUNTS = "SELECT ?class (COUNT(?thing) AS ?things) { ?thing a ?class } GROUP BY ?class"
MOST = 1_000
"""How many lines of the tree are shown at first, and how many more at each wish for more."""
_FEW, _OPEN = 60, 2
"""A tree of few classes is open; of a larger one, the first levels."""


class Hierarchy(NamedTuple):
    """The named classes of a graph, as three dicts by class (N-Triples text).

    They give the direct superclasses, the direct subclasses, and the number of members.
    """

    classes: Mapping[str, frozenset[str]]
    below: Mapping[str, tuple[str, ...]]
    members: Mapping[str, int]


async def read_hierarchy(calls: Calls) -> Hierarchy:
    """Read the hierarchy of a graph. Members are not counted if that takes too long. Raises Problem."""
    pairs = [(each[0], each[1] if len(each) > 1 else "") for each in await calls.rows(_PAIRS)]
    try:
        members = {each[0]: int(each[1]) for each in await calls.rows(_COUNTS)}
    except Problem:
        members = {}
    return hierarchy(pairs, members)


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
    direct = {name: frozenset(_direct_superclasses(name, supers, above)) for name, supers in above.items()}
    below: dict[str, list[str]] = {}
    for name, supers in direct.items():
        for super_ in supers:
            below.setdefault(super_, []).append(name)
    return Hierarchy(direct, {name: tuple(sorted(names)) for name, names in below.items()}, members)


def _direct_superclasses(name: str, supers: set[str], above: Mapping[str, set[str]]) -> set[str]:
    """Return the direct superclasses of the class `name`, without classes that are equivalent to `name`."""
    strict = {each for each in supers if name not in above[each]}
    return {each for each in strict if not any(each in above[other] and other not in above[each] for other in strict)}


class Tree(NamedTuple):
    """`size` classes as HTML. `hidden` of them are not shown, because the tree would be too long."""

    markup: Markup
    size: int
    hidden: int


def matching_classes(told: Hierarchy, words: Words, wanted: str) -> set[str]:
    """Return the classes whose name or label has all words of `wanted`, and all classes above them."""
    found = {name for name in told.classes if words.matches(name[1:-1], wanted.lower())}
    waiting = list(found)
    while waiting:
        for above in told.classes.get(waiting.pop(), ()):
            if above not in found:
                found.add(above)
                waiting.append(above)
    return found


def tree_of(told: Hierarchy, words: Words, wanted: str = "", most: int = MOST) -> Tree:
    """Show the classes as a tree that opens and closes; the first levels are open.

    With `wanted`, show only the classes that fit, and the classes above them. At most `most` lines are shown.
    """
    kept = matching_classes(told, words, wanted) if wanted.strip() else set(told.classes)
    roots = [name for name in told.classes if name in kept and not told.classes[name]]
    below = {name: tuple(each for each in inner if each in kept) for name, inner in told.below.items() if name in kept}
    opened = 100 if wanted.strip() or len(kept) <= _FEW else _OPEN
    return _tree(roots, told._replace(below=below), words, most, depth=100, opened=opened, count=len(kept))


def neighbourhood(told: Hierarchy, words: Words, name: str) -> Markup:
    """Show one class with its direct superclasses and subclasses."""
    roots = sorted(told.classes[name])
    if not roots:
        return _tree([name], told, words, MOST, depth=1).markup
    narrowed = dict.fromkeys(roots, (name,)) | {name: told.below.get(name, ())}
    return _tree(roots, told._replace(below=narrowed), words, MOST, depth=2).markup


def _tree(
    roots: list[str], told: Hierarchy, words: Words, most: int, *, depth: int, opened: int = 100, count: int = 0
) -> Tree:
    """Show the classes `roots` with the classes below them. A class with several superclasses is unfolded once."""
    parts: list[Markup] = []
    seen = set[str]()
    waiting: list[tuple[str, int] | None] = [(root, 0) for root in sorted(roots, reverse=True)]
    while waiting and most:
        if (item := waiting.pop()) is None:
            parts.append(_END)
            continue
        name, level = item
        most -= 1
        inner = told.below.get(name, ()) if level < depth else ()
        line = _line(name, told, words)
        if not inner or (name in seen and depth > 2):
            note = Markup('<span class="mark">unfolded above</span>') if inner else ""
            parts.append(Markup('<li class="leaf">{}{}</li>').format(line, note))
        else:
            is_open = Markup(" open") if level < opened else ""
            parts.append(_BEGIN.format(line, is_open, f"Subclasses of {plain_text(name, words)}"))
            waiting.append(None)
            waiting += [(each, level + 1) for each in reversed(inner)]
        seen.add(name)
    parts += [_END] * waiting.count(None)
    return Tree(Markup('<ul class="tree">{}</ul>').format(Markup("").join(parts)), count, max(0, count - len(seen)))


_BEGIN, _END = Markup('<li>{}<details{}><summary aria-label="{}"></summary><ul>'), Markup("</ul></details></li>")


def _line(name: str, told: Hierarchy, words: Words) -> Markup:
    label, members = words.labels.get(name[1:-1], ""), told.members.get(name)
    is_new = label and label.lower() != local_name(name[1:-1]).lower()
    return Markup('<span class="line">{}{}<span class="count">{}</span></span>').format(
        term(name, words),
        Markup('<span class="mark">{}</span>').format(label) if is_new else "",
        f"{members:,}" if members else "",
    )
