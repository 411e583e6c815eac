"""Property paths (SHACL, 2.3.1): from the shapes graph to text, and from paths to rules.

    a predicate or its inverse     an atom: [?x, :p, ?y]
    any other path                 shacl_path("text", ?x, ?y), for starts that `shacl_start("text", ?x)` has

An inverse is pushed down to the predicates, so `^(a/b)` is `^b/^a`. Each part that is no predicate is a path of its own
with starts of its own: a star is followed from the nodes to which the parts before it lead, and for each of them once,
whatever the number of foci. A star leads from every start to itself, also from a literal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.vocabulary import sh
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote

_STARS = {sh("zeroOrMorePath"): "*", sh("oneOrMorePath"): "+", sh("zeroOrOnePath"): "?"}
_MOST, _MOST_CHARACTERS, _MOST_COMPOUND = 1000, 100_000, 100


class Path(NamedTuple):
    """A path: a predicate (`kind` ""), or a path of the kind "^", "/", "|", "*", "+" or "?" with `parts`."""

    kind: str
    parts: tuple[Path, ...] = ()
    predicate: str = ""

    def __str__(self) -> str:
        """The path in the syntax of SPARQL."""
        if not self.kind:
            return self.predicate
        inner = [f"({part})" if part.parts and not part.is_plain else str(part) for part in self.parts]
        if self.kind in "/|":
            return self.kind.join(inner)
        return f"^{inner[0]}" if self.kind == "^" else f"{inner[0]}{self.kind}"

    @property
    def is_plain(self) -> bool:
        """Whether the path is a predicate or its inverse, so that a triple pattern says the same."""
        return not self.kind or (self.kind == "^" and not self.parts[0].kind)

    def normal_form(self, *, inverse: bool = False) -> Path:
        """Return the same path, or its inverse, with "^" before predicates only."""
        if self.kind == "^":
            return self.parts[0].normal_form(inverse=not inverse)
        if not self.kind:
            return Path("^", (self,)) if inverse else self
        parts = tuple(part.normal_form(inverse=inverse) for part in self.parts)
        return Path(self.kind, parts[::-1] if inverse and self.kind == "/" else parts)


class PathLength:
    """Counts the steps of one path, or of all paths of a query, which `where` names.

    A path is a tree, but in the shapes graph its parts may share theirs: twenty nodes may be a million steps. A part
    that is no predicate is a relation, whose rules have the text of the parts before it.
    """

    def __init__(self, where: str) -> None:
        self._where, self._count, self._characters, self._compound = where, 0, 0, 0

    def add(self, predicate: str = "", *, is_compound: bool = False) -> None:
        """Count a step: a predicate, or a path with parts. Raises ShapesError if there are too many."""
        let_out()
        self._count += 1
        self._characters += len(predicate)
        self._compound += is_compound
        for what, count, most in (
            ("steps", self._count, _MOST),
            ("characters", self._characters, _MOST_CHARACTERS),
            ("sequences, alternatives and repetitions", self._compound, _MOST_COMPOUND),
        ):
            if count > most:
                raise ShapesError(f"{self._where}: a path has more than {most:,} {what}")


def path_of(graph: ShapesGraph, node: str, where: str = "") -> Path:
    """Read the path of a node of the shapes graph, for example of a shape that `where` names in messages.

    A list is a sequence, whatever else its node says. Raises ShapesError for a node that is no path, and for a path
    that is too long.
    """
    return _read(graph, node, (), PathLength(where or node))


def _read(graph: ShapesGraph, node: str, above: tuple[str, ...], steps: PathLength) -> Path:
    """Read the path of a node. `above` are the nodes of the paths around it."""
    if node.startswith("<") and node != v.RDF_NIL:
        steps.add(node)
        return Path("", predicate=node)
    if node in above:
        raise ShapesError(f"{node}: the path contains itself")
    inner, inverse = (*above, node), graph.one(node, "inversePath")
    is_list = bool(graph.objects(node, v.RDF_FIRST))
    steps.add(is_compound=is_list or not inverse)
    if is_list:
        return Path("/", _parts(graph, node, inner, steps))
    if inverse:
        return Path("^", (_read(graph, inverse, inner, steps),))
    if alternatives := graph.one(node, "alternativePath"):
        return Path("|", _parts(graph, alternatives, inner, steps))
    for name, kind in _STARS.items():
        if objects := graph.objects(node, name):
            return Path(kind, (_read(graph, objects[0], inner, steps),))
    raise ShapesError(f"{node}: not a path of SHACL")


def _parts(graph: ShapesGraph, head: str, above: tuple[str, ...], steps: PathLength) -> tuple[Path, ...]:
    members = graph.members(head)
    if len(members) < 2:
        raise ShapesError(f"{head}: a sequence or an alternative of a path has two members at least")
    return tuple(_read(graph, member, above, steps) for member in members)


class Paths:
    """Writes the rules of paths, each path once. `add` adds a rule: its name, and its text."""

    def __init__(self, add: Callable[[str, str], None]) -> None:
        self._add, self._known = add, set[str]()

    def follow(self, path: Path, body: str, start: str, end: str) -> str:
        """Return the atom that holds if `path`, in its normal form, leads from the variable `start` to `end`.

        The path is followed from all values of `start` for which the atoms `body` hold.
        """
        if path.is_plain:
            if path.kind:
                return f"[{end}, {path.parts[0].predicate}, {start}]"
            return f"[{start}, {path.predicate}, {end}]"
        name = quote(str(path))
        self._add("sh-path", f"shacl_start({name}, {start}){body and f' :- {body}'} .")
        if name not in self._known:
            self._known.add(name)
            self._define(path, name)
        return f"shacl_path({name}, {start}, {end})"

    def _define(self, path: Path, name: str) -> None:
        begin, reached = f"shacl_start({name}, ?x)", f"shacl_path({name}, ?x, ?y)"
        if path.kind == "/":
            body = begin
            for place, part in enumerate(path.parts):
                body += f", {self.follow(part, body, f'?x{place}' if place else '?x', f'?x{place + 1}')}"
            self._add("sh-path", f"shacl_path({name}, ?x, ?x{len(path.parts)}) :- {body} .")
            return
        if path.kind in "*?":
            self._add("sh-path", f"shacl_path({name}, ?x, ?x) :- {begin} .")
        for part in path.parts:
            if path.kind != "*":
                self._add("sh-path", f"{reached} :- {begin}, {self.follow(part, begin, '?x', '?y')} .")
            if path.kind in "*+":
                further = self.follow(part, reached, "?y", "?z")
                self._add("sh-path", f"shacl_path({name}, ?x, ?z) :- {reached}, {further} .")
