"""Class expressions and axioms in Manchester syntax, from triples.

    _:r owl:onProperty :headOf ; owl:someValuesFrom :Department       :headOf some :Department
    :Chair rdfs:subClassOf _:r                                        :Chair SubClassOf (:headOf some :Department)
    _:d a owl:AllDisjointClasses ; owl:members (:A :B)                DisjointClasses: :A, :B

The caller gives the triples of a blank node (`About`) and the name of a term (`name`). A blank node is written by its
label, as `_:b1`, if its triples do not say one expression: a part is missing or doubled, a list has a fault, the node
contains itself, or it is too deep inside other expressions.

Law: the text of an expression has at most `MOST` names and expressions besides `...`: an empty one, `{}`, counts as
well. Whatever the triples are, the work for one text is bounded by `MOST`, and the depth of its calls by `_DEEPEST`. So
nobody can make a text of an expression that nests 100,000 others, or that has one expression twice in each of its
levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from kgreason.interrupts import let_out
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

About: TypeAlias = Callable[[str], Sequence[tuple[str, str]]]
"""Returns the triples of a blank node, each as predicate and object."""
MOST = 300
"""The largest number of names and expressions in a text."""
_DEEPEST = 20
_CUT = "..."
_FILLED = {
    v.OWL_SOME_VALUES_FROM: "some",
    v.OWL_ALL_VALUES_FROM: "only",
    v.OWL_HAS_VALUE: "value",
}
_COUNTED = {
    v.OWL_MIN_CARDINALITY: "min",
    v.OWL_MAX_CARDINALITY: "max",
    v.OWL_CARDINALITY: "exactly",
    v.OWL_MIN_QUALIFIED_CARDINALITY: "min",
    v.OWL_MAX_QUALIFIED_CARDINALITY: "max",
    v.OWL_QUALIFIED_CARDINALITY: "exactly",
}
_JOINED = {v.OWL_INTERSECTION_OF: " and ", v.OWL_UNION_OF: " or ", v.OWL_ONE_OF: ", "}
_NEGATED = (v.OWL_COMPLEMENT_OF, v.OWL_DATATYPE_COMPLEMENT_OF)
_FACETS = {
    "minInclusive": ">=",
    "minExclusive": ">",
    "maxInclusive": "<=",
    "maxExclusive": "<",
    "length": "length",
    "minLength": "minLength",
    "maxLength": "maxLength",
    "pattern": "pattern",
}
_INSIDE = (v.OWL_ON_PROPERTY, *_JOINED, *_NEGATED, v.OWL_INVERSE_OF, v.OWL_ON_DATATYPE)
"""The predicates of which an expression has exactly one."""
_BETWEEN = {
    v.RDFS_SUB_CLASS_OF: "SubClassOf",
    v.OWL_EQUIVALENT_CLASS: "EquivalentTo",
    v.OWL_DISJOINT_WITH: "DisjointWith",
    v.RDFS_SUB_PROPERTY_OF: "SubPropertyOf",
    v.OWL_EQUIVALENT_PROPERTY: "EquivalentTo",
    v.OWL_PROPERTY_DISJOINT_WITH: "DisjointWith",
    v.OWL_INVERSE_OF: "InverseOf",
    v.RDFS_DOMAIN: "Domain",
    v.RDFS_RANGE: "Range",
    v.OWL_SAME_AS: "SameAs",
    v.OWL_DIFFERENT_FROM: "DifferentFrom",
    v.RDF_TYPE: "Type",
}
_LISTED = {v.OWL_DISJOINT_UNION_OF: "DisjointUnionOf", v.OWL_HAS_KEY: "HasKey"}
_KINDS = {
    v.OWL_CLASS: "Class",
    v.RDFS_DATATYPE: "Datatype",
    v.OWL_OBJECT_PROPERTY: "ObjectProperty",
    v.OWL_DATATYPE_PROPERTY: "DataProperty",
    v.OWL_ANNOTATION_PROPERTY: "AnnotationProperty",
    v.OWL_NAMED_INDIVIDUAL: "Individual",
    v.OWL_ONTOLOGY: "Ontology",
    v.OWL_FUNCTIONAL_PROPERTY: "Functional",
    v.OWL_INVERSE_FUNCTIONAL_PROPERTY: "InverseFunctional",
    v.OWL_TRANSITIVE_PROPERTY: "Transitive",
    v.OWL_SYMMETRIC_PROPERTY: "Symmetric",
    v.OWL_ASYMMETRIC_PROPERTY: "Asymmetric",
    v.OWL_REFLEXIVE_PROPERTY: "Reflexive",
    v.OWL_IRREFLEXIVE_PROPERTY: "Irreflexive",
}
_GROUPS = {
    v.OWL_ALL_DISJOINT_CLASSES: "DisjointClasses",
    v.OWL_ALL_DISJOINT_PROPERTIES: "DisjointProperties",
    v.OWL_ALL_DIFFERENT: "DifferentIndividuals",
}
_GROUPING = frozenset({*_GROUPS, v.OWL_NEGATIVE_PROPERTY_ASSERTION, v.OWL_AXIOM, v.OWL_ANNOTATION})
_CLOSED = frozenset({v.OWL_ONE_OF, v.OWL_INVERSE_OF, v.OWL_ON_DATATYPE})
"""Expressions that need no brackets inside others."""
_STRUCTURE = frozenset(
    {
        *_INSIDE,
        *_FILLED,
        *_COUNTED,
        v.OWL_ON_CLASS,
        v.OWL_ON_DATA_RANGE,
        v.OWL_ON_PROPERTIES,
        v.OWL_HAS_SELF,
        v.OWL_WITH_RESTRICTIONS,
        v.OWL_MEMBERS,
        v.OWL_DISTINCT_MEMBERS,
        v.OWL_SOURCE_INDIVIDUAL,
        v.OWL_ASSERTION_PROPERTY,
        v.OWL_TARGET_INDIVIDUAL,
        v.OWL_TARGET_VALUE,
        v.OWL_ANNOTATED_SOURCE,
        v.OWL_ANNOTATED_PROPERTY,
        v.OWL_ANNOTATED_TARGET,
        v.RDF_FIRST,
        v.RDF_REST,
        *(f"<{v.XSD}{facet}>" for facet in _FACETS),
    }
)
_SYNTAX = frozenset({v.OWL_RESTRICTION, v.OWL_CLASS, v.RDFS_CLASS, v.RDF_LIST, v.RDFS_DATATYPE, v.OWL_DATA_RANGE})
"""The types of blank nodes that say nothing but that an expression or a list is one."""


def is_blank(term: str) -> bool:
    """Whether a term is a blank node."""
    return term.startswith("_:")


def is_part(triple: Triple) -> bool:
    """Whether a triple about a blank node is a part of an expression, a list or an axiom, and no statement of its own.

    >>> is_part(("_:r", v.OWL_ON_PROPERTY, "<http://e/p>")), is_part(("_:r", v.RDFS_SUB_CLASS_OF, "<http://e/C>"))
    (True, False)
    """
    subject, predicate, object_ = triple
    if not is_blank(subject):
        return False
    return predicate in _STRUCTURE or (predicate == v.RDF_TYPE and object_ in _SYNTAX)


def about_of(triples: Iterable[Triple]) -> About:
    """Return the function that gives the triples of a blank node, from all `triples` in which they are."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for subject, predicate, object_ in triples:
        if is_blank(subject):
            found.setdefault(subject, {})[predicate, object_] = None
    return lambda node: tuple(found.get(node, ()))


def describing_triples(nodes: Iterable[str], about: About, most: int = 10 * MOST) -> list[Triple]:
    """Return the triples that say what blank nodes stand for, and those of the blank nodes inside them.

    Only parts of expressions are followed. At most `most` triples are returned.
    """
    found: list[Triple] = []
    waiting = list(dict.fromkeys(filter(is_blank, nodes)))
    seen = set(waiting)
    for node in waiting:  # grows meanwhile
        parts = [(node, *said) for said in about(node) if is_part((node, *said))]
        for part in parts[: most - len(found)]:
            found.append(part)
            if is_blank(part[2]) and part[2] not in seen:
                seen.add(part[2])
                waiting.append(part[2])
        if len(found) >= most:
            break
    return found


class Manchester:
    """Writes expressions and axioms. `about` gives the triples of blank nodes, `name` the texts of other terms.

    `about` must always give the same: each node is asked for once or twice, however many statements are about it.

    >>> about = about_of([("_:r", v.OWL_ON_PROPERTY, "p"), ("_:r", v.OWL_SOME_VALUES_FROM, "C")])
    >>> Manchester(about, str).expression("_:r")
    'p some C'
    """

    def __init__(self, about: About, name: Callable[[str], str]) -> None:
        self._about, self._name = about, name
        self._known: dict[str, dict[str, list[str]]] = {}
        self._groups: dict[str, tuple[str | None, set[str]]] = {}

    def _description(self, node: str) -> Mapping[str, Sequence[str]]:
        """Return the triples of a node that say what it stands for, as a dict from predicates to objects."""
        if (known := self._known.get(node)) is None:
            known = self._known[node] = {}
            for predicate, object_ in self._about(node):
                known.setdefault(predicate, []).append(object_)
        return known

    def expression(self, node: str) -> str | None:
        """Return what a blank node says; None if it says no expression."""
        return _Text(self._description, self._name).expression(node)

    def inside(self, node: str) -> str | None:
        """Return what a blank node says, with brackets if the text has several words; None as for `expression`."""
        text = _Text(self._description, self._name).inner(node)
        return None if text == node else text

    def members(self, head: str) -> str | None:
        """Return the members of a list in brackets, as Turtle writes them; None if the list has a fault."""
        text = _Text(self._description, self._name).members(head, " ")
        return text and f"({text})"

    def readable(self, triples: Iterable[Triple]) -> set[str]:
        """Return the blank nodes of `triples` that are expressions, axioms or lists, or parts of them, and are read.

        A list counts if a statement uses it.
        """
        nodes = {each[0]: None for each in triples if is_blank(each[0])}
        lists = {each[2]: None for each in triples if not is_part(each) and is_blank(each[2])}
        told = [node for node in nodes if self._is_readable(node)]
        return self._blank_nodes([*told, *(head for head in lists if self.members(head) is not None)])

    def _is_readable(self, node: str) -> bool:
        """Whether a blank node is an expression or an axiom that can be read."""
        let_out()
        return self.expression(node) is not None or self.group(node) is not None

    def axiom(self, triple: Triple) -> str:
        """Return an axiom as text. Other triples are written as subject, predicate and object."""
        return _Text(self._description, self._name).axiom(triple)

    def group(self, node: str) -> str | None:
        """Return the axiom that a blank node stands for, such as `DisjointClasses: A, B`; None if it is no axiom."""
        return self._group_and_nodes(node)[0]

    def _group_and_nodes(self, node: str) -> tuple[str | None, set[str]]:
        """Return what `group` returns, and the blank nodes in the axiom that say no expression."""
        if (known := self._groups.get(node)) is None:
            text = _Text(self._description, self._name)
            known = self._groups[node] = (text.group(node), text.failed)
        return known

    def axioms(self, triples: Iterable[Triple]) -> list[str]:
        """Return the axioms and statements in `triples`, each once, in the order of the triples.

        Parts of an expression are written where the expression is used. Parts that nothing uses, and those of a blank
        node that says no expression, stay triples.
        """
        triples = tuple(dict.fromkeys(triples))
        texts = {triple: self._statement_and_nodes(triple) for triple in triples if not is_part(triple)}
        unread = self._blank_nodes(node for _, failed in texts.values() for node in failed)
        read = self._blank_nodes(term for triple in texts for term in (triple[0], triple[2])) - unread
        found: dict[str, None] = {}
        for triple in triples:
            if triple in texts:
                found[texts[triple][0]] = None
            elif triple[0] not in read:
                found[self._statement_and_nodes(triple)[0]] = None
        return list(found)

    def _statement_and_nodes(self, triple: Triple) -> tuple[str, set[str]]:
        """Return a statement as text, and the blank nodes in it that say no expression."""
        text = _Text(self._description, self._name)
        if not is_blank(triple[0]) or is_part(triple):
            return text.axiom(triple), text.failed
        group, failed = self._group_and_nodes(triple[0])
        return (group, failed) if group else (text.axiom(triple), text.failed | failed)

    def _blank_nodes(self, terms: Iterable[str]) -> set[str]:
        """Return the blank nodes among `terms`, and those that are parts of them."""
        found = set(filter(is_blank, terms))
        waiting = list(found)
        while waiting:
            node = waiting.pop()
            for predicate, object_ in self._about(node):
                if is_blank(object_) and object_ not in found and is_part((node, predicate, object_)):
                    found.add(object_)
                    waiting.append(object_)
        return found


class _Text:
    """One text. `_left` is the number of names and expressions that it may still have, `_path` the nodes around.

    `failed` are the blank nodes in it that say no expression.
    """

    def __init__(self, said: Callable[[str], Mapping[str, Sequence[str]]], name: Callable[[str], str]) -> None:
        self._said, self._name = said, name
        self._left = MOST
        self._path: list[str] = []
        self.failed = set[str]()

    def axiom(self, triple: Triple) -> str:
        subject, predicate, object_ = triple
        if predicate == v.RDF_TYPE and object_ in _KINDS:
            return f"{_KINDS[object_]}: {self.inner(subject)}"
        if predicate == v.OWL_PROPERTY_CHAIN_AXIOM and (chain := self.members(object_, " o ")):
            return f"{chain} SubPropertyOf {self.inner(subject)}"
        if predicate in _LISTED and (members := self.members(object_, ", ")):
            return f"{self.inner(subject)} {_LISTED[predicate]} {members}"
        is_definition = not is_blank(subject) and predicate in (*_JOINED, *_NEGATED)
        if is_definition and (text := self._constructor_text({predicate: [object_]})):
            return f"{self.inner(subject)} EquivalentTo {text}"
        verb = _BETWEEN.get(predicate) or self._name(predicate)
        said = self._last_term(object_) if predicate in _BETWEEN else self.inner(object_)
        return f"{self.inner(subject)} {verb} {said}"

    def _last_term(self, term: str) -> str:
        """Return a term at the end of an axiom, where an expression needs no brackets."""
        return (self.expression(term) if is_blank(term) else None) or self.inner(term)

    def group(self, node: str) -> str | None:
        said = self._said(node)
        text = self._group_text(said)
        if text is None and not _GROUPING.isdisjoint(said.get(v.RDF_TYPE, ())):
            self.failed.add(node)
        return text

    def _group_text(self, said: Mapping[str, Sequence[str]]) -> str | None:
        for kind in said.get(v.RDF_TYPE, ()):
            if title := _GROUPS.get(kind):
                lists = [*said.get(v.OWL_MEMBERS, ()), *said.get(v.OWL_DISTINCT_MEMBERS, ())]
                members = self.members(lists[0], ", ") if len(lists) == 1 else None
                return None if members is None else f"{title}: {members}"
            if kind == v.OWL_NEGATIVE_PROPERTY_ASSERTION:
                return self._denial_text(said)
            if kind in (v.OWL_AXIOM, v.OWL_ANNOTATION):
                return self._annotation_text(said)
        return None

    def _denial_text(self, said: Mapping[str, Sequence[str]]) -> str | None:
        target = v.OWL_TARGET_VALUE if v.OWL_TARGET_VALUE in said else v.OWL_TARGET_INDIVIDUAL
        parts = [_only_object(said, each) for each in (v.OWL_SOURCE_INDIVIDUAL, v.OWL_ASSERTION_PROPERTY, target)]
        if None in parts:
            return None
        return f"not ({' '.join(self.inner(part) for part in parts if part)})"

    def _annotation_text(self, said: Mapping[str, Sequence[str]]) -> str | None:
        subject, predicate, object_ = (
            _only_object(said, each)
            for each in (v.OWL_ANNOTATED_SOURCE, v.OWL_ANNOTATED_PROPERTY, v.OWL_ANNOTATED_TARGET)
        )
        if subject is None or predicate is None or object_ is None:
            return None
        notes = [
            f"{self.inner(verb)} {self.inner(value)}"
            for verb, values in said.items()
            for value in values
            if verb != v.RDF_TYPE and verb not in _STRUCTURE
        ]
        return f"[{self.axiom((subject, predicate, object_))}] {', '.join(notes)}"

    def expression(self, node: str) -> str | None:
        if node in self._path or len(self._path) >= _DEEPEST:
            return None
        self._path.append(node)
        try:
            return self._constructor_text(self._said(node))
        finally:
            self._path.pop()

    def _constructor_text(self, said: Mapping[str, Sequence[str]]) -> str | None:
        kinds = [each for each in _INSIDE if each in said]
        if len(kinds) != 1 or (value := _only_object(said, kinds[0])) is None:
            return None
        kind = kinds[0]
        if kind == v.OWL_ON_PROPERTY:
            return self._restriction(value, said)
        if kind in _NEGATED:
            return f"not {self.inner(value)}"
        if kind == v.OWL_INVERSE_OF:
            return f"inverse {self.inner(value)}"
        if kind == v.OWL_ON_DATATYPE:
            facets = self._facets(_only_object(said, v.OWL_WITH_RESTRICTIONS))
            return None if facets is None else f"{self.inner(value)}[{facets}]"
        members = self.members(value, _JOINED[kind])
        if kind == v.OWL_ONE_OF:
            return None if members is None else f"{{{members}}}"
        return members or None

    def _restriction(self, on: str, said: Mapping[str, Sequence[str]]) -> str | None:
        kinds = [each for each in (*_FILLED, *_COUNTED, v.OWL_HAS_SELF) if each in said]
        if len(kinds) != 1 or (value := _only_object(said, kinds[0])) is None:
            return None
        kind, role = kinds[0], self.inner(on)
        if kind == v.OWL_HAS_SELF:
            return f"{role} Self"
        if kind in _FILLED:
            return f"{role} {_FILLED[kind]} {self.inner(value)}"
        classes = [each for key in (v.OWL_ON_CLASS, v.OWL_ON_DATA_RANGE) for each in said.get(key, ())]
        if len(classes) > 1:
            return None
        number = value[1 : value.rindex('"')] if value.startswith('"') else value
        filler = f" {self.inner(classes[0])}" if classes else ""
        return f"{role} {_COUNTED[kind]} {number}{filler}"

    def _facets(self, head: str | None) -> str | None:
        cells = None if head is None else self._cells(head)
        if cells is None:
            return None
        found = []
        for cell in cells:
            said = self._said(cell)
            names = [name for name in _FACETS if f"<{v.XSD}{name}>" in said]
            value = _only_object(said, f"<{v.XSD}{names[0]}>") if len(names) == 1 else None
            if value is None:
                return None
            found.append(f"{_FACETS[names[0]]} {self.inner(value)}")
        return ", ".join(found)

    def members(self, head: str, between: str) -> str | None:
        """Return the members of a list as text; None if the list has a fault. Of a long list, the first ones."""
        cells = self._cells(head)
        if cells is None:
            return None
        shown: list[str] = []
        for cell in cells:
            if self._left <= 0:
                return between.join([*shown, _CUT])
            shown.append(self.inner(cell))
        return between.join(shown)

    def _cells(self, head: str) -> list[str] | None:
        """Return the members of a list, or the first ones of a long one; None if the list has a fault."""
        members = list(islice(self._members(head), max(self._left, 0) + 1))
        return None if None in members else [each for each in members if each is not None]

    def _members(self, head: str) -> Iterator[str | None]:
        """Yield the members of a list; at a fault None, and then no more."""
        seen = set[str]()
        while head != v.RDF_NIL:
            said = self._said(head) if is_blank(head) and head not in seen else {}
            seen.add(head)
            member, rest = _only_object(said, v.RDF_FIRST), _only_object(said, v.RDF_REST)
            yield member
            if member is None or rest is None:
                if member is not None:
                    yield None
                return
            head = rest

    def inner(self, term: str) -> str:
        """Return a term as a part of an expression: an expression of several words is in brackets."""
        if not is_blank(term):
            self._left -= 1
            return self._name(term)
        if self._left <= 0:
            return _CUT
        self._left -= 1  # before its parts: an expression without a name in it counts as well
        text = self.expression(term)
        if text is None:
            self.failed.add(term)
            return term
        return text if " " not in text or not _CLOSED.isdisjoint(self._said(term)) else f"({text})"


def _only_object(said: Mapping[str, Sequence[str]], predicate: str) -> str | None:
    """Return the object of `predicate` if there is exactly one."""
    values = said.get(predicate, ())
    return values[0] if len(values) == 1 else None
