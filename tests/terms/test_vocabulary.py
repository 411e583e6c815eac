"""The fixed ids of the vocabulary: stored graphs hold them."""

from __future__ import annotations

import hashlib
import re

from kgreason.terms import vocabulary
from kgreason.terms import vocabulary as v
from kgreason.terms.vocabulary import VOCABULARY

NAMED = {name: value for name, value in vars(vocabulary).items() if re.fullmatch(r"(RDF|RDFS|OWL|XSD|SWRL)_\w+", name)}
NAMESPACES = {"RDF": v.RDF, "RDFS": v.RDFS, "OWL": v.OWL, "XSD": v.XSD, "SWRL": v.SWRL}


def test_every_constant_has_one_id() -> None:
    assert tuple(NAMED.values()) == VOCABULARY
    assert len(set(VOCABULARY)) == len(VOCABULARY)


def test_names_follow_the_terms() -> None:
    for name, value in NAMED.items():
        namespace, _, local = name.partition("_")
        assert value.lower() == f"<{NAMESPACES[namespace]}{local.replace('_', '')}>".lower()


def test_the_order_never_changes() -> None:
    """New terms go to the end: this number may be raised together with the hash, never changed alone."""
    first = "\n".join(VOCABULARY[:172])
    assert hashlib.sha256(first.encode()).hexdigest()[:16] == "d65e6e0c25086b2c"
