"""The axiomatic triples of rdf:_1, rdf:_2, ...: infinitely many, so those of the properties that are named.

A rule cannot look at names. Premises and a conclusion name finitely many of them, and the others, of which the same
holds, can appear in no proof (RDF 1.1 Semantics, section 9.3). Cost: a regular expression for each term.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kgreason.rules.model import Constant, Triple
from kgreason.terms.vocabulary import (
    RDF,
    RDF_PROPERTY,
    RDF_TYPE,
    RDFS_CONTAINER_MEMBERSHIP_PROPERTY,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_RESOURCE,
)

_MEMBERSHIP = re.compile(f"<{re.escape(RDF)}_[1-9][0-9]*>")


def are_wanted(rules: Sequence[str]) -> bool:
    """Whether rule sets are asked for what containers entail."""
    return any("container" in name.split("+")[1:] for name in rules)


def axioms(terms: Iterable[Constant]) -> list[Triple]:
    """The axiomatic triples of the membership properties among terms."""
    said = (
        (RDF_TYPE, RDF_PROPERTY),
        (RDF_TYPE, RDFS_CONTAINER_MEMBERSHIP_PROPERTY),
        (RDFS_DOMAIN, RDFS_RESOURCE),
        (RDFS_RANGE, RDFS_RESOURCE),
    )
    return [(term, *more) for term in terms if _MEMBERSHIP.fullmatch(term) for more in said]
