"""Translate schema triples to rules, by a sequence of small passes (docs/architecture.md).

    covers         remove subclass and similar pairs that other pairs imply
    collect        schema triples -> axioms, with lists and class expressions unfolded
    translate      one axiom -> rules, by the rows of the profile; one restriction stands for all that say the same
    normalise      canonical form; remove tautologies
    deduplicate    keep one rule where several axioms yield the same
    reduce         remove shortcuts: rules that chains of others replace

The closing rules of the profile's rule set must have closed the schema before (generic/generic.py). A row reads only
one axiom; conclusions from two axioms are already in the closed schema. Example: r1 = some p A, r2 = some p B, and A is
below B. Then scm-svf1 has put r1 below r2.

Invariant: the result depends on the set of schema triples alone, not on their order. Cost: linear in the schema, except
for the rows over pairs of a list (see owl2rl.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from kgreason.ontology.read import swrl
from kgreason.ontology.read.axioms import Axiom, Restriction, place
from kgreason.ontology.read.collect import Broken, Reading, collect
from kgreason.ontology.read.rows import RowTable, is_a
from kgreason.ontology.read.schema import Schema
from kgreason.ontology.reduce.covers import covers
from kgreason.ontology.reduce.reduce import reduce
from kgreason.ontology.translate import owl2rl, rdfs
from kgreason.ontology.translate.normalise import deduplicate, normalise
from kgreason.rules.model import Atom, Constant, Rule, Triple, Variable
from kgreason.terms.vocabulary import OWL_EQUIVALENT_CLASS, RDF_TYPE, RDFS_SUB_CLASS_OF

Profile: TypeAlias = Literal["rhodf", "rdfs", "owl2rl"]
Rules: TypeAlias = tuple[Rule, ...]

ROWS: dict[Profile, RowTable] = {"rhodf": rdfs.RHODF_ROWS, "rdfs": rdfs.ROWS, "owl2rl": {**owl2rl.ROWS, **swrl.ROWS}}
"""The rows of each profile."""

PASSES: tuple[Callable[[Iterable[Rule]], Rules], ...] = (normalise, deduplicate, reduce)
"""The passes over the rules after all axioms are translated, in order."""


@dataclass(frozen=True, slots=True)
class Translation:
    """The rules of a schema, and the readings (axioms by node) that the rules were made from."""

    profile: Profile
    readings: tuple[Reading, ...]
    rules: Rules

    @property
    def axioms(self) -> tuple[Axiom, ...]:
        """Every axiom that was read, in the order of places.

        Pairs that other pairs imply are left out. Axioms for which the profile has no row are included.
        """
        return _axioms(self.readings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each broken list or SWRL rule, if the profile has rows for this kind of axiom."""
        return warnings_of(self.broken, self.profile)

    @property
    def broken(self) -> tuple[Broken, ...]:
        """Every axiom whose list or SWRL rule has a fault, ordered by node."""
        return tuple(broken for reading in self.readings for broken in reading.broken)


def warnings_of(broken: Iterable[Broken], profile: Profile) -> tuple[str, ...]:
    """One line for each broken list or SWRL rule, if the profile has rows for this kind of axiom."""
    return tuple(str(each) for each in broken if each.kind in ROWS[profile])


def forks_of(broken: Iterable[Broken], profile: Profile) -> frozenset[Constant]:
    """The kinds of axioms, among those of a profile, of which some axiom has a forked list.

    Only generic rules can read such an axiom.
    """
    return frozenset(each.kind for each in broken if each.fault.is_fork and each.kind in ROWS[profile])


def translate(
    schema: Iterable[Triple], profile: Profile, twins: Mapping[Constant, Constant] = MappingProxyType({})
) -> Translation:
    """Translate a closed schema to rules. Triples that are not schema are ignored.

    `twins` maps a restriction to its representative, a restriction that says the same. In the body of a rule, the
    representative takes the place of the restriction.
    """
    readings = tuple(collect(Schema(covers(schema))))
    *_, (_, rules) = stages(readings, profile, twins)
    return Translation(profile, readings, rules)


def stages(
    readings: Iterable[Reading], profile: Profile, twins: Mapping[Constant, Constant] = MappingProxyType({})
) -> Iterator[tuple[str, Rules]]:
    """Run the passes one by one. Yields the name of each pass and the rules after it, for printing."""
    rules = tuple(
        rule for axiom in _axioms(readings) for rule in represented(axiom, translate_axiom(axiom, profile), twins)
    )
    yield "translate", rules
    for step in PASSES:
        rules = step(rules)
        yield step.__name__, rules


def _axioms(readings: Iterable[Reading]) -> tuple[Axiom, ...]:
    return tuple(sorted((axiom for reading in readings for axiom in reading.axioms), key=place))


def translate_axiom(axiom: Axiom, profile: Profile) -> Rules:
    """The rules of one axiom, in the order of the rows; empty if the profile has no row for this kind of axiom."""
    return tuple([rule for row in ROWS[profile].get(axiom.kind, ()) for rule in row(axiom)])


def asked(axiom: Axiom, rules: Rules) -> set[Constant]:
    """The classes that `represented` may replace in the rules of an axiom: each C of a body atom `?x rdf:type C`.

    For a restriction, its own node is included.
    """
    if axiom.kind in _BELOW:
        return set()
    classes = {_class(atom) for rule in rules for atom in rule.body} - {""}
    return classes | ({axiom.node} if isinstance(axiom, Restriction) else set())


def represented(axiom: Axiom, rules: Rules, twins: Mapping[Constant, Constant]) -> Rules:
    """The rules of an axiom, with each restriction in a body replaced by its representative.

    The axiom of a restriction that has a representative gives no rules. It needs none: the restriction is below its
    representative, which has the rules.
    """
    if axiom.kind in _BELOW or not twins:
        return rules
    if isinstance(axiom, Restriction) and axiom.node in twins:
        return ()
    return tuple([_asking(rule, twins) for rule in rules])


def _asking(rule: Rule, twins: Mapping[Constant, Constant]) -> Rule:
    found = {class_: twins[class_] for atom in rule.body if (class_ := _class(atom)) in twins}
    if not found:
        return rule
    body = [is_a(atom.terms[0], found[class_]) if (class_ := _class(atom)) in found else atom for atom in rule.body]
    sources = ((class_, RDFS_SUB_CLASS_OF, first) for class_, first in found.items())
    return replace(rule, body=tuple(body), sources=(*rule.sources, *sources))


def _class(atom: Atom) -> Constant:
    """The class C of an atom `x rdf:type C`, or an empty text for any other atom."""
    if atom.relation is not None or atom.terms[1] != RDF_TYPE or isinstance(atom.terms[2], Variable):
        return ""
    return atom.terms[2]


_BELOW = (RDFS_SUB_CLASS_OF, OWL_EQUIVALENT_CLASS)
"""Kinds of axioms whose rules need no replacement: the closed schema has these axioms for representatives, too."""
