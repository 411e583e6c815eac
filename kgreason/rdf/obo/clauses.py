"""The clauses of an OBO document that the library horned-owl 2.0 does not translate to OWL as ROBOT does.

    [Typedef]
    id: has_part
    holds_over_chain: overlaps has_part        has_part owl:propertyChainAxiom (overlaps has_part)
    transitive_over: part_of                   has_part owl:propertyChainAxiom (has_part part_of)

The library leaves out the clauses of `_ADDED`; `axioms` makes their axioms. It reads a relationship with a cardinality,
or with `all_only`, as `some`, and leaves out the clauses of `_REFUSED`. `check` refuses a document with one of these,
and names the line: an ontology that is read in part would give wrong answers. Some annotations are left out:
`data-version`, `is_class_level`, `is_anti_symmetric`, `expand_assertion_to`, names of subsets and of synonym types.

Cost: one pass over the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kgreason.errors import RdfSyntaxError

_CLAUSE = re.compile(r"\s*([\w-]+):(.*)", re.DOTALL)
_ADDED = {
    "holds_over_chain": 2,
    "equivalent_to_chain": 2,
    "transitive_over": 1,
    "disjoint_from": 1,
    "equivalent_to": 1,
}
"""The clauses of a [Typedef] that `axioms` reads, with the number of their ids."""
_REFUSED = {"": {"owl-axioms"}, "Typedef": {"union_of", "intersection_of", "disjoint_over"}}
_OTHER = re.compile(r"\{[^{}]*\b(?:(?:min|max)?cardinality|all_only|all_some)\s*=", re.IGNORECASE)
_QUOTED = re.compile(r'(\\.)|"(?:[^"\\]|\\.)*"', re.DOTALL)
_QUALIFIERS = re.compile(r"\{[^{}]*\}$")
_ADVICE = "ROBOT translates it: robot convert --input FILE.obo --output FILE.owl"


class OboClause(NamedTuple):
    """A clause: the kind of its stanza ("" in the header), the id of the stanza, its line, its tag and its value.

    The value has no comment and no text in quotation marks: a text may have the signs of a comment or of qualifiers.
    """

    stanza: str
    about: str
    line: int
    tag: str
    value: str


def clauses(text: str) -> Iterator[OboClause]:
    """Yield the clauses of an OBO document."""
    stanza = about = ""
    for line, content in enumerate(text.split("\n"), 1):
        if content.lstrip().startswith("["):
            stanza, about = content.strip().strip("[]"), ""
        elif found := _CLAUSE.fullmatch(content):
            value = _QUOTED.sub(r"\1", found[2]).partition("!")[0].strip()
            about = value if found[1] == "id" else about
            yield OboClause(stanza, about, line, found[1], value)


def check(text: str, source: str) -> None:
    """Raise RdfSyntaxError for a document with a clause that would be lost, or read as something else."""
    for clause in clauses(text):
        is_relationship = clause.tag in ("relationship", "intersection_of")
        if clause.tag in _REFUSED.get(clause.stanza, ()) or (is_relationship and _OTHER.search(clause.value)):
            place = f" of a [{clause.stanza}]" if clause.stanza else " of the header"
            said = f"{clause.tag}{' with a cardinality or a quantifier' if _OTHER.search(clause.value) else ''}"
            raise RdfSyntaxError(source, clause.line, None, f"the clause {said}{place} cannot be read; {_ADVICE}")


class OboAxiom(NamedTuple):
    """An axiom of a property: `tag` says its kind, `chain` has the IRIs of its other properties."""

    tag: str
    property: str
    chain: tuple[str, ...]


def axioms(text: str, iris: Mapping[str, str], source: str) -> Iterator[OboAxiom]:
    """Yield the axioms that the library leaves out.

    `iris` has the IRI of each id in the document. Raises RdfSyntaxError for an id that is not there.
    """
    for clause in clauses(text):
        if clause.stanza != "Typedef" or clause.tag not in _ADDED:
            continue
        ids = _QUALIFIERS.sub("", clause.value).split()
        unknown = next((each for each in (clause.about, *ids) if each not in iris), None)
        if len(ids) != _ADDED[clause.tag] or unknown is not None:
            problem = (
                f"{clause.tag} has {_ADDED[clause.tag]} ids" if unknown is None else f"no [Typedef] has id {unknown}"
            )
            raise RdfSyntaxError(source, clause.line, None, problem)
        first = (iris[clause.about],) if clause.tag == "transitive_over" else ()
        yield OboAxiom(clause.tag, iris[clause.about], (*first, *(iris[each] for each in ids)))
