"""The completion of an EL ontology: rules as those of GALEN's classification, and a generated ontology.

    sub(x, z)              x is a kind of z
    some(x, r, y)          x has an r that is a y
    restriction(w, r, z)   what has an r that is a w is a z
    both(y, w, z)          what is a y and a w is a z
    subrole(r, q)          r is a kind of q
    chain(r, u, e)         an r of a u is an e

Classes are numbered from general to special: the class on the left of an axiom has the larger number, and so no two
classes become equal. Four roles are transitive. With `GALEN` a fact has nine derivations, as in GALEN.

Cost: linear in the number of classes; the completion grows faster. `ontology(2_000, GALEN)`: 13,000 axioms, 340,000
facts, 2.9 million derivations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.zset.columns import Int32

COMPLETION = """
    sub(?x, ?z) :- sub(?x, ?y), sub(?y, ?z) .
    some(?x, ?r, ?z) :- sub(?x, ?y), some(?y, ?r, ?z) .
    sub(?x, ?z) :- sub(?y, ?w), restriction(?w, ?r, ?z), some(?x, ?r, ?y) .
    sub(?x, ?z) :- both(?y, ?w, ?z), sub(?x, ?w), sub(?x, ?y) .
    some(?x, ?q, ?z) :- some(?x, ?r, ?z), subrole(?r, ?q) .
    some(?x, ?e, ?o) :- some(?x, ?y, ?z), chain(?y, ?u, ?e), some(?z, ?u, ?o) .
"""
_ROLES, _TRANSITIVE, _SECOND_PARENTS, _GENERAL, _SKEW = 40, range(6, 10), 0.3, 4, 3
"""Some roles are transitive. 30 % of the classes have a second parent. The most general quarter of the classes has no
roles of its own, and restrictions lead there. Roles are skewed: the lower its number, the more a role is used."""


class Axioms(NamedTuple):
    """How many axioms of each kind there are for a class."""

    some: float
    restriction: float
    both: float


GALEN = Axioms(some=3, restriction=1, both=1)


def ontology(classes: int, axioms: Axioms, seed: int = 0) -> dict[str, Int32]:
    """The axioms of a random ontology: distinct rows int32[n, w] of numbers for each relation."""
    draw = np.random.default_rng(seed).random

    def below(limits: NDArray[np.int64]) -> NDArray[np.int64]:
        return (draw(len(limits)) * limits).astype(np.int64)

    def classes_for(share: float) -> NDArray[np.int64]:
        return 1 + below(np.full(int(share * classes), classes - 1))

    def roles(count: int) -> NDArray[np.int64]:
        return classes + (draw(count) ** _SKEW * _ROLES).astype(np.int64)

    special = np.arange(1, classes)
    special = np.concatenate([special, special[draw(classes - 1) < _SECOND_PARENTS]])
    general = classes // _GENERAL
    owners = general + below(np.full(int(axioms.some * classes), classes - general))
    fillers = classes_for(axioms.restriction)
    left, right = classes_for(axioms.both), classes_for(axioms.both)
    lower = np.arange(1, _ROLES)
    found = {
        "sub": (special, below(special)),
        "some": (owners, roles(len(owners)), below(owners)),
        "restriction": (fillers, roles(len(fillers)), below(np.full(len(fillers), general))),
        "both": (left, right, below(np.minimum(left, right))),
        "subrole": (classes + lower, classes + below(lower)),
        "chain": (classes + np.array(_TRANSITIVE),) * 3,
    }
    return {name: np.unique(np.column_stack(columns), axis=0).astype(np.int32) for name, columns in found.items()}
