"""`ShapesGraph`: the triples of a shapes graph, for reading. Terms are N-Triples text.

Law: what it returns is in the order of the texts, so equal graphs give equal rules. Cost: a dict entry for each triple.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.rules.model import Triple
from kgreason.shapes.vocabulary import sh
from kgreason.terms import vocabulary as v


class ShapesGraph:
    """Triples by subject and predicate, and by predicate and object."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = tuple(sorted(set(triples)))
        self._objects: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._subjects: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for subject, predicate, object_ in self.triples:
            self._objects[subject, predicate].append(object_)
            self._subjects[predicate, object_].append(subject)

    def objects(self, subject: str, predicate: str) -> list[str]:
        """Return the objects of a subject and a predicate."""
        return self._objects.get((subject, predicate), [])

    def subjects(self, predicate: str, object_: str) -> list[str]:
        """Return the subjects of a predicate and an object."""
        return self._subjects.get((predicate, object_), [])

    def about(self, subject: str) -> Iterator[Triple]:
        """Yield the triples of a subject."""
        place = bisect_left(self.triples, (subject, "", ""))
        while place < len(self.triples) and self.triples[place][0] == subject:
            yield self.triples[place]
            place += 1

    def one(self, subject: str, name: str) -> str | None:
        """Return the value of a parameter of SHACL that a shape can have once; None if it has none.

        Raises ShapesError if it has several.
        """
        found = self.objects(subject, sh(name))
        if len(found) > 1:
            raise ShapesError(f"{subject}: sh:{name} has {len(found)} values, and a shape can have one")
        return found[0] if found else None

    def members(self, head: str) -> list[str]:
        """Return the members of a list. Raises ShapesError for a list that is not well-formed."""
        let_out()
        found, seen = list[str](), set[str]()
        while head != v.RDF_NIL:
            first, rest = self.objects(head, v.RDF_FIRST), self.objects(head, v.RDF_REST)
            if head in seen or len(first) != 1 or len(rest) != 1:
                raise ShapesError(f"{head}: not a well-formed list in the shapes graph")
            seen.add(head)
            found.append(first[0])
            head = rest[0]
        return found

    def instances(self, class_: str) -> list[str]:
        """Return the nodes of a class or of a class below it, as the shapes graph says."""
        below, found, seen = [class_], dict[str, None](), {class_}
        for each in below:
            let_out()
            below += (fresh := [sub for sub in self.subjects(v.RDFS_SUB_CLASS_OF, each) if sub not in seen])
            seen.update(fresh)
            found |= dict.fromkeys(self.subjects(v.RDF_TYPE, each))
        return list(found)
