"""The kinds of axioms of OWL that rule sets do not read, or read in part only: `KINDS`, a line for each.

Many class expressions are read on one side of an axiom only (OWL 2 Profiles, section 4.2). *Below* is the side of the
subclass: rules ask which terms are in the expression. *Above* is the side of the superclass: rules say what follows for
its instances. `some p C` is read below, but above it would ask for a value that no rule makes.
"""

from __future__ import annotations

from typing import NamedTuple

from kgreason.terms import vocabulary as v

OF_AXIOMS = "under the rules of"
"""The warning about axioms that the rules do not read has these words; no other one has."""
ABOVE, BELOW = 0, 1
BOTH = (ABOVE, BELOW)


class UnreadKind(NamedTuple):
    """A kind of axiom that has no effect: its name, and which triples say such an axiom.

    Their predicate is `predicate`, or their object if `is_type`. `sides`: on which sides of an axiom the subject must
    be for this; empty if the triple is an axiom by itself. `limits`: which cardinalities count, as (least, most).
    `readers`: the rule sets that read such an axiom all the same.
    """

    name: str
    predicate: str
    sides: tuple[int, ...] = ()
    limits: tuple[int, int] | None = None
    is_type: bool = False
    readers: tuple[str, ...] = ()


_MANY = 1 << 62
KINDS = (
    UnreadKind("existential restriction{s} as a superclass", v.OWL_SOME_VALUES_FROM, (ABOVE,), readers=("owl2el",)),
    UnreadKind("universal restriction{s} as a subclass", v.OWL_ALL_VALUES_FROM, (BELOW,)),
    UnreadKind("union{s} as a superclass", v.OWL_UNION_OF, (ABOVE,)),
    UnreadKind("enumeration{s} as a superclass", v.OWL_ONE_OF, (ABOVE,)),
    UnreadKind("complement{s} as a subclass", v.OWL_COMPLEMENT_OF, (BELOW,)),
    UnreadKind("universal restriction{s} as a superclass", v.OWL_ALL_VALUES_FROM, (ABOVE,), readers=("owl2rl",)),
    UnreadKind("self restriction{s}", v.OWL_HAS_SELF, BOTH, readers=("owl2rl+has-self", "owl2el")),
    UnreadKind("minimum cardinalit{y}", v.OWL_MIN_CARDINALITY, BOTH, (1, _MANY)),
    UnreadKind("qualified minimum cardinalit{y}", v.OWL_MIN_QUALIFIED_CARDINALITY, BOTH, (1, _MANY)),
    UnreadKind("exact cardinalit{y}", v.OWL_CARDINALITY, BOTH),
    UnreadKind("qualified exact cardinalit{y}", v.OWL_QUALIFIED_CARDINALITY, BOTH),
    UnreadKind("maximum cardinalit{y} above 1", v.OWL_MAX_CARDINALITY, BOTH, (2, _MANY)),
    UnreadKind("qualified maximum cardinalit{y} above 1", v.OWL_MAX_QUALIFIED_CARDINALITY, BOTH, (2, _MANY)),
    UnreadKind("maximum cardinalit{y} as a subclass", v.OWL_MAX_CARDINALITY, (BELOW,), (0, 1)),
    UnreadKind("maximum cardinalit{y} as a superclass", v.OWL_MAX_CARDINALITY, (ABOVE,), (0, 1), readers=("owl2rl",)),
    UnreadKind("qualified maximum cardinalit{y} as a subclass", v.OWL_MAX_QUALIFIED_CARDINALITY, (BELOW,), (0, 1)),
    UnreadKind(
        "qualified maximum cardinalit{y} as a superclass",
        v.OWL_MAX_QUALIFIED_CARDINALITY,
        (ABOVE,),
        (0, 1),
        readers=("owl2rl",),
    ),
    UnreadKind("cardinalit{y} over a data range", v.OWL_ON_DATA_RANGE, BOTH),
    UnreadKind("restriction{s} of several properties", v.OWL_ON_PROPERTIES, BOTH),
    UnreadKind("datatype{s} with facets", v.OWL_WITH_RESTRICTIONS, BOTH),
    UnreadKind("complement{s} of a datatype", v.OWL_DATATYPE_COMPLEMENT_OF, BOTH),
    UnreadKind("disjoint union{s}", v.OWL_DISJOINT_UNION_OF),
    UnreadKind("reflexive propert{y}", v.OWL_REFLEXIVE_PROPERTY, is_type=True, readers=("owl2el",)),
    UnreadKind("inverse propert{y}", v.OWL_INVERSE_OF, readers=("owl2rl",)),
    UnreadKind("key{s}", v.OWL_HAS_KEY, readers=("owl2rl",)),
    UnreadKind("disjoint propert{y}", v.OWL_PROPERTY_DISJOINT_WITH, readers=("owl2rl",)),
    UnreadKind("functional propert{y}", v.OWL_FUNCTIONAL_PROPERTY, is_type=True, readers=("owl2rl",)),
    UnreadKind("inverse functional propert{y}", v.OWL_INVERSE_FUNCTIONAL_PROPERTY, is_type=True, readers=("owl2rl",)),
    UnreadKind("symmetric propert{y}", v.OWL_SYMMETRIC_PROPERTY, is_type=True, readers=("owl2rl",)),
    UnreadKind("asymmetric propert{y}", v.OWL_ASYMMETRIC_PROPERTY, is_type=True, readers=("owl2rl",)),
    UnreadKind("irreflexive propert{y}", v.OWL_IRREFLEXIVE_PROPERTY, is_type=True, readers=("owl2rl",)),
)
"""The kinds of axioms that some rule set does not read, in the order in which they are told. With a rule of the user
that mentions the predicate, something reads the axiom, too."""
