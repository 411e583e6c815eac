"""The names of relations, and which relations are the user's.

    edge with 3 columns    "edge/3"     the text in the dictionary; its id is the first column of a fact's row

The same name with another number of columns is another relation. kgreason has relations of its own (`INNER`) for equal
terms, literals, restrictions and OWL 2 EL, and hidden ones for NOT, expressions and aggregates. The name of a hidden
relation has a space or a bracket, so no user can write one.
"""

from __future__ import annotations

import re

from kgreason.errors import InputError, InputTypeError
from kgreason.rules.expressions import AGGREGATES, SKOLEM
from kgreason.rules.model import DATA, FALSE

_INNER = """
dt_differ dt_ill dt_literal dt_may_equal dt_not dt_type dt_used dt_value el_apart el_ask_self el_ask_some el_asked
el_at el_axiom el_behind el_below el_blank el_cell el_chain el_chain_cell el_chain_of el_class el_comp el_context
el_different_list el_disjoint el_disjoint_list el_domain el_ends el_expression el_gives el_here el_into el_iri el_is
el_last el_link el_list el_live el_loop el_member el_named el_negative el_nominal el_not el_of el_only el_pair el_part
el_property el_range el_ranged el_reflexive el_role el_self el_some el_stated el_step el_sub el_subs el_tells el_told
el_top_role el_union_cell el_union_member el_value el_within eq_rep eq_root list_after list_all list_cell list_ends
list_even list_held list_holds list_hop list_lead list_level list_member list_odd list_one list_paired list_path
list_pivot list_scm_cell list_scm_ends list_shared list_zero scm_all scm_all_of scm_asks_below scm_asks_over
scm_asks_thing scm_below_thing scm_declared scm_named scm_odd scm_over_nothing scm_some scm_some_of scm_twin scm_value
swrl_bits swrl_different swrl_place
"""
INNER = frozenset(_INNER.split())
"""The relations of kgreason's rule sets."""
_WORDS = frozenset(AGGREGATES) | {SKOLEM, "FILTER", "BIND", "AGGREGATE"}
"""Words that rule text reads in another way where the name of a relation stands."""
_NAME = re.compile(
    r"(?!.*[\u2000-\u200b\u200e-\u203e\u2041-\u206f\u2ff0-\u3000\ud800-\udfff])(?:[A-Za-z]|[^\x00-\xb6])(?:\w|[^\x00-\xb6])*",
    re.ASCII,
)
"""IDENTIFIER of the rule language, without halves of characters, which no UTF-8 text has."""


def is_own(name: str) -> bool:
    """Whether a relation with this name belongs to users, and not to kgreason itself."""
    return name not in INNER and name not in (FALSE.relation, DATA) and bool(_NAME.fullmatch(name))


def checked_name(name: object) -> str:
    """Return `name` unchanged if users may give a relation this name.

    Raises InputError if not, and InputTypeError if it is no text.
    """
    if not isinstance(name, str):
        raise InputTypeError(f"the name of a relation has to be text; got {name!r} ({type(name).__name__})")
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is not the name of a relation: write a letter, then letters, digits and _")
    if not is_own(name):
        raise InputError(f"{name} is a relation of kgreason itself; take another name")
    if name in _WORDS:
        raise InputError(
            f"{name} is a word of the rule language, so no rule could name the relation; take another name"
        )
    return name


def checked_arity(arity: object) -> int | None:
    """Return `arity`, a number of columns or None, unchanged.

    Raises InputTypeError if it is not a whole number, and InputError if it is negative.
    """
    if arity is None:
        return None
    if isinstance(arity, bool) or not isinstance(arity, int):
        raise InputTypeError(f"arity has to be the number of places; got {arity!r} ({type(arity).__name__})")
    if arity < 0:
        raise InputError(f"arity has to be 0 or more; got {arity}")
    return arity


def name_and_width(text: str) -> tuple[str, int] | None:
    """Split the dictionary's text for a user's relation, such as `edge/3`, into its name and number of columns.

    Returns None for any other text.
    """
    name, slash, arity = text.rpartition("/")
    return (name, int(arity)) if slash and arity.isdecimal() and is_own(name) else None
