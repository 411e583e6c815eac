"""Property paths in the patterns of a query, and their place as a term.

    ?x ex:p/ex:q* ?y    ->    ?x <urn:kgreason:path:0> ?y, and the path as a `Path`

A predicate, its inverse, and a sequence of them are patterns already, and stay.
"""

from __future__ import annotations

from kgreason.errors import ShapesError
from kgreason.shapes.paths import Path, PathLength
from kgreason.shapes.query.tokens import end_of, is_variable
from kgreason.terms import vocabulary as v

_MARKS = "*+?"


class PathTerms:
    """The paths of a query, each with a term that stands for it. `prefixes` are those of the query."""

    def __init__(self, prefixes: dict[str, str], where: str) -> None:
        self._prefixes, self.where = prefixes, where
        self.paths: dict[str, Path] = {}
        self._steps, self._known = PathLength(where), set[tuple[str, ...]]()

    def replace_paths(self, tokens: list[str]) -> list[str]:
        """Return the tokens of triple patterns with terms in the place of paths that are no patterns."""
        found, place, is_new = list[str](), 0, tuple(tokens) not in self._known
        self._known.add(tuple(tokens))  # each alternative around a group has its paths again
        while place < len(tokens):
            read = _read(self, tokens, place)
            if read is None or not _needs_rules(read[0]):
                found += tokens[place : read[1] if read else place + 1]
                place = read[1] if read else place + 1
                continue
            path, place = read
            if is_new:
                self._count(path)
            term = f"<urn:kgreason:path:{len(self.paths)}>"
            self.paths[term] = path
            found.append(term)
        return found

    def _count(self, path: Path) -> None:
        self._steps.add(path.predicate, is_compound=not path.is_plain)
        for part in path.parts:
            self._count(part)

    def iri(self, token: str) -> str | None:
        """Return the IRI of a token; None for another token."""
        if token == "a":
            return v.RDF_TYPE
        if token.startswith("<") and token.endswith(">"):
            return token
        prefix, colon, local = token.partition(":")
        if not colon or prefix == "_" or token[0] in "\"'":
            return None
        if prefix not in self._prefixes:
            raise ShapesError(f"{self.where}: the prefix {prefix}: is not declared")
        return f"<{self._prefixes[prefix]}{local.replace(chr(92), '')}>"


def _needs_rules(path: Path) -> bool:
    """Whether a path is no pattern: it has more than predicates, inverses and sequences."""
    return path.kind in ("|", "*", "+", "?") or any(map(_needs_rules, path.parts))


def _read(terms: PathTerms, tokens: list[str], place: int) -> tuple[Path, int] | None:
    """Return the path that begins at a place, and the place behind it; None if none does."""
    return _read_sequence(terms, tokens, place, "|")


def _read_sequence(terms: PathTerms, tokens: list[str], place: int, sign: str) -> tuple[Path, int] | None:
    parts = list[Path]()
    while True:
        read = _read_sequence(terms, tokens, place, "/") if sign == "|" else _step(terms, tokens, place)
        if read is None:
            return None
        parts.append(read[0])
        place = read[1]
        if place >= len(tokens) or tokens[place] != sign:
            return (parts[0] if len(parts) == 1 else Path(sign, tuple(parts))), place
        place += 1


def _step(terms: PathTerms, tokens: list[str], place: int) -> tuple[Path, int] | None:
    is_inverse = place < len(tokens) and tokens[place] == "^"
    place += is_inverse
    if place >= len(tokens):
        return None
    if tokens[place] == "!":
        raise ShapesError(f"{terms.where}: ! in a path is not supported, because SHACL has no such path")
    if tokens[place] == "(":
        end = end_of(tokens, place, terms.where)
        read = _read(terms, tokens[place + 1 : end], 0)
        if read is None or read[1] != end - place - 1:
            return None
        path, place = read[0], end + 1
    elif (iri := terms.iri(tokens[place])) is not None and not is_variable(tokens[place]):
        path, place = Path("", predicate=iri), place + 1
    else:
        return None
    while place < len(tokens) and tokens[place] in _MARKS:
        path, place = Path(tokens[place], (path,)), place + 1
    return (Path("^", (path,)) if is_inverse else path), place
