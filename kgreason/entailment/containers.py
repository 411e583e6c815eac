"""RDFS triples that hold in every graph, for the terms that occur in the premises or the conclusion.

    rdf:_1, rdf:_2, ...    the axiomatic triples of each of these properties that occurs; if none occurs, of rdf:_1
    datatypes              each recognized datatype that occurs, or that a literal has, is an rdfs:Datatype (rdfs1)
    terms                  each IRI and literal of the conclusion is an rdfs:Resource

There are infinitely many such triples: a few for each rdf:_n. No proof needs the triples of a term that occurs neither
in the premises nor in the conclusion. The closure has every RDFS consequence that a conclusion can ask for if it has
three things: these triples, what all groups of rules in rdfs.dl derive, and literals as instances of their datatypes
(`values`, for rdfD1). See RDF 1.1 Semantics, section 9 and the appendix on its rules.

Cost: a regular expression for each term.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kgreason.rules.model import Constant, Triple
from kgreason.rules.parser import ruleset
from kgreason.terms import vocabulary as v

_MEMBERSHIP = re.compile(f"<{re.escape(v.RDF)}_[1-9][0-9]*>")
_FIRST = f"<{v.RDF}_1>"


def is_rdfs(name: str) -> bool:
    """Whether `name` selects the rule set RDFS, as in `--rules`: `rdfs`, alone or with groups (`rdfs+axiomatic`)."""
    return name.split("+", maxsplit=1)[0] == "rdfs"


def complete_names(rules: Sequence[str]) -> list[str]:
    """Return the names of rule sets `rules`, where `rdfs` and `rdfs+GROUP` become `rdfs` with all its groups."""
    groups = dict.fromkeys(rule.group for rule in ruleset("rdfs").rules)
    return ["+".join(["rdfs", *groups]) if is_rdfs(name) else name for name in rules]


def axiomatic_triples(
    terms: Iterable[Constant], conclusion: Iterable[Triple], datatypes: Iterable[Constant]
) -> Iterator[Triple]:
    """Yield RDFS triples that hold in every graph, see the top of this file.

    `terms`: all terms of premises and conclusion. `conclusion`: the triples of the conclusion. `datatypes`: the
    recognized datatypes that occur in the premises or the conclusion, or that a literal there has.
    """
    for term in [term for term in terms if _MEMBERSHIP.fullmatch(term)] or [_FIRST]:
        yield term, v.RDF_TYPE, v.RDF_PROPERTY
        yield term, v.RDF_TYPE, v.RDFS_CONTAINER_MEMBERSHIP_PROPERTY
        yield term, v.RDFS_DOMAIN, v.RDFS_RESOURCE
        yield term, v.RDFS_RANGE, v.RDFS_RESOURCE
    yield from ((datatype, v.RDF_TYPE, v.RDFS_DATATYPE) for datatype in datatypes)
    named = (term for term in chain.from_iterable(conclusion) if not term.startswith("_:"))
    yield from ((term, v.RDF_TYPE, v.RDFS_RESOURCE) for term in dict.fromkeys(named))
