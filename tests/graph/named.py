"""What is said of named things: the triples over IRIs and literals, without what `scm-reflexive` says of everything.

The group says of every class c and every property p:

    c below c, c equivalent to c, c below owl:Thing, owl:Nothing below c; p below p, p equivalent to p

So what is set aside is just that, and what follows from it alone: that something is in owl:Thing, that a domain or
range is owl:Thing, that a class below owl:Nothing is below every class, and that a domain or range below owl:Nothing is
every class.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from kgreason.ontology.twins import LiveTwins
from kgreason.ontology.undo import UndoLog
from tests.oracle import vocabulary as v
from tests.oracle.graph import Triple

LOUD = frozenset(["scm-cls", "scm-op", "scm-dp"])
"""The rules of the group."""
_REFLEXIVE = (v.SUB_CLASS_OF, v.EQUIVALENT_CLASS, v.SUB_PROPERTY_OF, v.EQUIVALENT_PROPERTY)


def named(closure: Collection[Triple], loud: Collection[Triple]) -> set[Triple]:
    """What a closure says of named things; `loud` is the closure of the same graph with the group switched on."""
    is_noise = noise(loud)
    return {triple for triple in closure if not any(term.startswith("_:") for term in triple) and not is_noise(triple)}


def noise(loud: Collection[Triple]) -> Callable[[Triple], bool]:
    """What tells whether a triple of a closure with the group switched on is set aside."""
    empty = _empty(loud)
    of_nothing = {(s, p) for s, p, o in loud if p in (v.DOMAIN, v.RANGE) and o in empty}

    def is_noise(triple: Triple) -> bool:
        s, p, o = triple
        return (
            (p in _REFLEXIVE and s == o)
            or (p in (v.TYPE, v.SUB_CLASS_OF, v.DOMAIN, v.RANGE) and o == v.THING)
            or (p in (v.SUB_CLASS_OF, v.EQUIVALENT_CLASS) and s in empty)
            or (p == v.EQUIVALENT_CLASS and o in empty)
            or (s, p) in of_nothing
        )

    return is_noise


def _empty(loud: Collection[Triple]) -> set[str]:
    """The classes below owl:Nothing, and owl:Nothing."""
    return {s for s, p, o in loud if (p, o) == (v.SUB_CLASS_OF, v.NOTHING)} | {v.NOTHING}


def is_plain(asserted: Collection[Triple], quiet: Collection[Triple], loud: Collection[Triple]) -> bool:
    """Whether a graph has no restrictions that say the same, no odd ones, and none over an empty class.

    And the group must say nothing but noise. Over an empty class kgreason says some of the noise (scm_over_nothing in
    twins.dl).
    """
    twins, is_noise = LiveTwins(UndoLog()), noise(loud)
    twins.change((), asserted)
    said = {fact.relation for fact in twins.facts}
    speaks_of_thing = any((s, p) == (v.THING, v.SUB_CLASS_OF) for s, p, _ in loud)
    fillers = {o for _, p, o in asserted if p in (v.SOME_VALUES_FROM, v.ALL_VALUES_FROM)}
    is_over_nothing = not fillers.isdisjoint(_empty(loud))
    is_silent = all(triple in quiet or is_noise(triple) for triple in loud)
    is_ordinary = said.isdisjoint(["scm_twin", "scm_odd"]) and not is_over_nothing
    return is_ordinary and is_silent and not speaks_of_thing


def is_coherent(loud: Collection[Triple]) -> bool:
    """Whether nothing is in owl:Nothing: what is in it is in every class."""
    return not any((p, o) == (v.TYPE, v.NOTHING) for _, p, o in loud)
