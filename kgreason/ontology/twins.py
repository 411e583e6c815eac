"""`LiveTwins`: find restrictions that say the same and choose one to represent the others, for an edited schema.

    some p C, written as the blank nodes a, b and c   ->  scm_twin(b, a), scm_twin(c, a), scm_some(a, p, C)

Two restrictions are *twins* if they have the same kind, property and filler, and if the rules of the W3C tables derive
that each is a subclass of the other. The rules derive this if scm-cls puts the filler below itself, or if scm-op or
scm-dp puts the property below itself. Fillers that are twins count as one filler, so restrictions inside restrictions
can be twins as well. The twin whose text comes first represents the others; IRIs come before blank nodes.

A restriction is *odd* if it has two properties or two fillers, or is inside itself. No OWL ontology has such a
restriction. An odd restriction has no twin; special rules of twins.dl relate it to others. A restriction that would
have a twin only because of an odd filler is odd, too.

Law: after any sequence of edits, `facts` and `representatives` depend only on the remaining triples. Only asserted
triples count: no derived triple makes two restrictions twins.
Cost of an edit: each node whose triples it changes is read again, and so is each restriction that has such a node as
property or filler, at any depth. If twins get another representative, all these twins are looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from kgreason.ontology.change import Change
from kgreason.ontology.read.schema import LiveSchema, Schema
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Atom, Constant, Triple
from kgreason.terms import vocabulary as v

Key: TypeAlias = tuple[Constant, ...]
"""What twins have in common: kind, property and filler. The key of a restriction without twins is its node alone."""
Owner: TypeAlias = Constant | Key
_Said: TypeAlias = dict[Owner, tuple[Atom, ...]]

RELATIONS = {v.OWL_SOME_VALUES_FROM: "scm_some", v.OWL_ALL_VALUES_FROM: "scm_all", v.OWL_HAS_VALUE: "scm_value"}
ARITIES = {
    **dict.fromkeys(("scm_twin", "scm_named"), 2),
    **dict.fromkeys((*RELATIONS.values(), "scm_some_of", "scm_all_of"), 3),
    "scm_odd": 1,
}
"""The relations of facts about restrictions, each with its number of terms."""

PREDICATES = (v.OWL_ON_PROPERTY, *RELATIONS)
DECLARATIONS = (v.OWL_CLASS, v.OWL_OBJECT_PROPERTY, v.OWL_DATATYPE_PROPERTY)
"""The triples that are read have a predicate of PREDICATES, or the predicate rdf:type and an object of DECLARATIONS."""


class Part(NamedTuple):
    """One way to read a node as a restriction: a kind (owl:someValuesFrom, ...), a property and a filler.

    Only odd restrictions have several parts.
    """

    kind: Constant
    property_: Constant
    filler: Constant


class _Reading(NamedTuple):
    """What the triples of a node say of it as a restriction. Without `parts` the node is no restriction.

    `is_odd`: the restriction is odd, see the top of this file. `is_active`: it may have twins. `depth`: how many levels
    of restrictions are nested in it; 0 if its filler is no restriction, or is odd. An odd restriction itself has a
    depth above all others.
    """

    parts: tuple[Part, ...]
    is_odd: bool
    is_active: bool
    depth: int


class LiveTwins:
    """Finds twins among the restrictions of a schema that is edited, and makes the facts about restrictions.

    The schema is empty at first.
    """

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._schema = LiveSchema(log)
        self._declared: dict[Constant, dict[Constant, None]] = {each: {} for each in DECLARATIONS}
        self._users: Index[Constant, Constant] = Index(log)
        self._keys: dict[Constant, tuple[Key, tuple[Part, ...]]] = {}
        self._members: Index[Key, Constant] = Index(log)
        self._parts: Index[Key, Part] = Index(log)
        self._sayers: Index[tuple[Key, Part], Constant] = Index(log)
        self._leaders: dict[Key, Constant] = {}
        self._said: _Said = {}
        self.representatives: dict[Constant, Constant] = {}
        """The representative of each twin; representatives themselves are left out."""

    @property
    def facts(self) -> set[Atom]:
        """All facts about the present restrictions."""
        return {fact for facts in self._said.values() for fact in facts}

    def change(self, removed: Iterable[Triple], added: Iterable[Triple]) -> Change[Atom]:
        """Remove triples, then add others. Returns the change of the facts about restrictions.

        Triples that describe no restriction are ignored. To remove an absent triple or to add a present one changes
        nothing.
        """
        removed, added = list(removed), list(added)
        gone, come = ([triple for triple in each if triple[1] in PREDICATES] for each in (removed, added))
        touched = self._schema.change(gone, come)
        self._index_users((*gone, *come))
        touched |= self._declare(removed, added) & self._users.keys()
        return self._reread(self._with_users(touched)) if touched else Change((), ())

    def sources(self, fact: Atom) -> tuple[Triple, ...]:
        """Return the triples of the schema from which a fact about restrictions was made.

        If the fact says that two restrictions are twins, the declaration of their property or filler is included.
        """
        first, *others = map(str, fact.terms)
        nodes = [first]
        if fact.relation in _OF_TWINS:
            nodes += others
        elif others:
            nodes.append(self._source_restriction(first, others[-1]))
        told = [
            (node, each, term) for node in nodes for each in PREDICATES for term in self._schema.objects(node, each)
        ]
        return tuple(dict.fromkeys((*told, *(self._declarations(first) if fact.relation in _OF_TWINS else ()))))

    def _source_restriction(self, leader: Constant, filler: Constant) -> Constant:
        """Return the restriction with the smallest text among those of the twins of `leader` that mention `filler`.

        A twin mentions `filler` if its own filler is `filler`, or has the representative `filler`. `leader` counts as a
        twin of itself.
        """
        key, _ = self._keys[leader]
        parts = [part for part in self._parts.at(key) if filler in (part.filler, self._representative(part.filler))]
        return min(node for part in parts for node in self._sayers.at((key, part)))

    def _declarations(self, node: Constant) -> Iterator[Triple]:
        """Yield the declaration by which a restriction with twins is a subclass of itself.

        This is the declaration of its property, otherwise that of its filler. If neither is declared, the filler is a
        restriction, and its own declaration, found in the same way, is yielded.
        """
        part = next(iter(_parts(self._schema, node)))
        for type_ in _OF_PROPERTIES:
            if part.property_ in self._declared[type_]:
                yield part.property_, v.RDF_TYPE, type_
                return
        if part.filler in self._declared[v.OWL_CLASS]:
            yield part.filler, v.RDF_TYPE, v.OWL_CLASS
        else:
            yield from self._declarations(part.filler)

    # Which nodes an edit touches

    def _declare(self, removed: Iterable[Triple], added: Iterable[Triple]) -> set[Constant]:
        """Follow the declarations among triples that were removed, then added. Returns the terms that are concerned."""
        found: set[Constant] = set()
        for node, predicate, type_ in removed:
            if predicate == v.RDF_TYPE and node in self._declared.get(type_, ()):
                self._log.drop(self._declared[type_], node)
                found.add(node)
        fresh: dict[Constant, dict[Constant, None]] = {type_: {} for type_ in self._declared}
        for node, predicate, type_ in added:
            if predicate == v.RDF_TYPE and type_ in fresh and node not in self._declared[type_]:
                fresh[type_][node] = None
        for type_, nodes in fresh.items():
            self._log.put_all(self._declared[type_], nodes)
            found |= nodes.keys()
        return found

    def _index_users(self, triples: Iterable[Triple]) -> None:
        """Update the index of the restrictions that use a property or a filler, after `triples` have changed."""
        objects = self._schema.objects
        for node, predicate, term in triples:
            is_used = term in objects(node, predicate) or any(term in objects(node, each) for each in PREDICATES)
            if is_used != (node in self._users.at(term)):
                (self._users.add if is_used else self._users.discard)(term, node)

    def _with_users(self, terms: Iterable[Constant]) -> set[Constant]:
        """Return the terms, and all restrictions that have one of them as property or filler, at any depth."""
        found = set(terms)
        waiting = list(found)
        for term in waiting:
            fresh = self._users.at(term) - found
            found |= fresh
            waiting += fresh
        return found

    def _reread(self, nodes: Iterable[Constant]) -> Change[Atom]:
        """Read nodes again, inner restrictions first. Returns the change of the facts about restrictions.

        If another restriction comes to represent a node, the restrictions that have the node as filler are read again,
        too.
        """
        before: _Said = {}
        waiting = {node: self._read(node) for node in nodes if node in self._keys or self._is_restriction(node)}
        while waiting:
            least = min(reading.depth for reading in waiting.values())
            moved: dict[Key, list[Constant]] = {}
            for node in [node for node, reading in waiting.items() if reading.depth == least]:
                for key in self._move_node(node, waiting.pop(node)):
                    moved.setdefault(key, []).append(node)
            for node in self._settle(moved, before):
                waiting |= {user: self._read(user) for user in self._users.at(node) if user not in waiting}
        return _net_change(before, self._said)

    def _is_restriction(self, node: Constant) -> bool:
        return bool(self._schema.objects(node, v.OWL_ON_PROPERTY))

    def _move_node(self, node: Constant, reading: _Reading) -> tuple[Key, ...]:
        """Move a node from its former group of twins to its present one, by its `reading`. Returns the keys of both."""
        before, after = self._keys.get(node), self._key(node, reading)
        if before != after:
            if before:
                self._leave(node, *before)
                self._log.drop(self._keys, node)
            if after:
                self._join(node, *after)
                self._log.put(self._keys, node, after)
        return tuple(dict.fromkeys(each[0] for each in (before, after) if each))

    def _leave(self, node: Constant, key: Key, parts: tuple[Part, ...]) -> None:
        self._members.discard(key, node)
        for part in parts:
            self._sayers.discard((key, part), node)
            if not self._sayers.at((key, part)):
                self._parts.discard(key, part)

    def _join(self, node: Constant, key: Key, parts: tuple[Part, ...]) -> None:
        self._members.add(key, node)
        for part in parts:
            if not self._sayers.at((key, part)):
                self._parts.add(key, part)
            self._sayers.add((key, part), node)

    def _settle(self, moved: Mapping[Key, Collection[Constant]], before: _Said) -> list[Constant]:
        """Update the representatives and facts of groups of twins. Returns the nodes whose representative has changed.

        `moved` maps the key of each group to the nodes that joined or left the group. Facts that are replaced are
        stored in `before`.
        """
        changed: dict[Constant, None] = {}
        for key, nodes in moved.items():
            members, old = self._members.at(key), self._leaders.get(key)
            joined = [node for node in nodes if node in members]
            new = min([*joined, old]) if old in members else min(members, default=None)
            if new is None:
                self._log.drop(self._leaders, key)
            elif new != old:
                self._log.put(self._leaders, key, new)
            self._set_facts(key, self._facts_of_twins(key, new) if new else (), before)
            changed |= dict.fromkeys(members if new != old else joined)
            changed |= dict.fromkeys(node for node in nodes if node not in self._keys)
        return [node for node in changed if self._represent(node, before)]

    def _represent(self, node: Constant, before: _Said) -> bool:
        """Make the first of a node's twins its representative. Returns whether it had another representative before.

        Facts that are replaced are stored in `before`.
        """
        old, new = self._representative(node), self._leaders[self._keys[node][0]] if node in self._keys else node
        if old == new:
            return False
        if new == node:
            self._log.drop(self.representatives, node)
        else:
            self._log.put(self.representatives, node, new)
        relations = () if new == node else _OF_TWINS if node.startswith("<") else _OF_TWINS[:1]
        self._set_facts(node, tuple(Atom(relation, (node, new)) for relation in relations), before)
        return True

    def _representative(self, node: Constant) -> Constant:
        return self.representatives.get(node, node)

    def _facts_of_twins(self, key: Key, leader: Constant) -> tuple[Atom, ...]:
        """Return the facts about the twins with the key `key`. They are facts about `leader`, which represents them."""
        parts = self._parts.at(key)
        facts = [Atom(RELATIONS[kind], (leader, property_, filler)) for kind, property_, filler in parts]
        for kind, property_, filler in parts:
            first = self._representative(filler)
            if kind != v.OWL_HAS_VALUE and Part(kind, property_, first) not in parts:
                facts.append(Atom(f"{RELATIONS[kind]}_of", (leader, property_, first)))
        if len(key) == 1 and self._read(leader).is_odd:
            facts.append(Atom("scm_odd", (leader,)))
        return tuple(dict.fromkeys(facts))

    def _set_facts(self, owner: Owner, facts: tuple[Atom, ...], before: _Said) -> None:
        before.setdefault(owner, self._said.get(owner, ()))
        if facts:
            self._log.put(self._said, owner, facts)
        elif owner in self._said:
            self._log.drop(self._said, owner)

    # How a node reads as a restriction

    def _key(self, node: Constant, reading: _Reading) -> tuple[Key, tuple[Part, ...]] | None:
        """Return the key of a node's group of twins, and the node's parts; None if the node is no restriction.

        `reading` is the reading of the node.
        """
        if not reading.parts:
            return None
        if not reading.is_active:
            return (node,), reading.parts
        kind, property_, filler = reading.parts[0]
        return (kind, property_, filler if kind == v.OWL_HAS_VALUE else self._representative(filler)), reading.parts

    def _read(self, node: Constant) -> _Reading:
        """Read a node as a restriction, from the triples of this node and of the restrictions inside it."""
        chain: dict[Constant, Part] = {}
        inside = node
        while len(parts := _parts(self._schema, inside)) == 1 and inside not in chain:
            chain[inside] = parts[0]
            inside = parts[0].filler if parts[0].kind != v.OWL_HAS_VALUE else _NO_NODE
        in_circle = inside in chain
        reading = _Reading(parts, is_odd=len(parts) > 1, is_active=False, depth=_LAST if parts else -1)
        for restriction, part in reversed(chain.items()):
            reading = self._outer_reading(reading, part, is_odd=in_circle)
            in_circle = in_circle and restriction != inside
        return reading

    def _outer_reading(self, inner: _Reading, part: Part, *, is_odd: bool) -> _Reading:
        """Return the reading of a restriction with a single part, given the reading `inner` of its filler.

        `is_odd` says that the restriction is inside itself.
        """
        is_declared = any(part.property_ in self._declared[type_] for type_ in _OF_PROPERTIES) or (
            part.kind != v.OWL_HAS_VALUE and part.filler in self._declared[v.OWL_CLASS]
        )
        is_odd = is_odd or (inner.is_odd and not is_declared)
        depth = _LAST if is_odd else 0 if inner.is_odd else inner.depth + 1
        return _Reading((part,), is_odd, not is_odd and (is_declared or inner.is_active), depth)


_OF_TWINS = ("scm_twin", "scm_named")
_OF_PROPERTIES = (v.OWL_DATATYPE_PROPERTY, v.OWL_OBJECT_PROPERTY)
_LAST = 1 << 30
"""The depth of odd restrictions: they are read after all others."""
_NO_NODE = ""


def twins(schema: Iterable[Triple]) -> dict[Constant, Constant]:
    """Return a dict from restrictions to their representatives. Restrictions that represent themselves are left out."""
    live = LiveTwins(UndoLog())
    live.change((), schema)
    return live.representatives


def _parts(schema: Schema, node: Constant) -> tuple[Part, ...]:
    """Return all ways to read a node as a restriction, or () if it is none."""
    properties = schema.objects(node, v.OWL_ON_PROPERTY)
    return (
        tuple(
            [
                Part(kind, property_, filler)
                for property_ in properties
                for kind in RELATIONS
                for filler in schema.objects(node, kind)
            ]
        )
        if properties
        else ()
    )


def _net_change(before: _Said, after: _Said) -> Change[Atom]:
    """Return the facts that disappeared and appeared between `before` and `after`.

    Both map an owner (a node, or the key of a group of twins) to facts. Owners that are not in `before` are ignored.
    """
    gone = {fact: None for facts in before.values() for fact in facts}
    come = {fact: None for owner in before for fact in after.get(owner, ())}
    return Change(tuple(fact for fact in gone if fact not in come), tuple(fact for fact in come if fact not in gone))
