"""`names`: how a proof names its terms: IRIs by prefixes or labels, blank nodes by what they say.

    _:b1   with onProperty :p, someValuesFrom :C      (:p some :C)          a class expression in Manchester syntax
    _:b2   a list of :A and :B                        (:A :B)
    <http://e/C>   with the label "carotid artery"    'carotid artery'
    <urn:a-member-of:C>   of the class :C             (a member of :C)      the member that a what-if gives a class

A label stands in the place of an IRI. It is in single quotation marks unless it is one word. If several IRIs have one
label, the short IRI follows the label. Law: a name has no line break and no sign that cannot be printed, whatever the
labels of the graph are. Cost: that of `ontology.manchester` for each blank node that is named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from kgreason.ontology.manchester import Manchester, about_of, is_blank, is_part
from kgreason.proofs.notation import Step, term_text
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v
from kgreason.terms.names import Names

MEMBER = "urn:a-member-of:"
"""The IRI of the member that a what-if gives a class begins with this."""
_LONGEST = 100
"""A label is cut after this many characters."""
_WORD = re.compile(r"\w+(?:-\w+)*")
_KEYWORDS = frozenset(
    ["and", "or", "not", "some", "only", "value", "min", "max", "exactly", "inverse", "Self", "that", "a"]
)


def names(
    prefixes: Mapping[str, str], triples: Iterable[Triple] = (), labels: Mapping[str, str] | None = None
) -> Names:
    """Return the names of terms.

    `triples` have those that say what blank nodes stand for. `labels` are the labels of IRIs, which are N-Triples text.

    >>> names({"": "http://e/"}, labels={"<http://e/C>": "carotid artery"}).word("<http://e/C>")
    "'carotid artery'"
    """
    told = {term: quote_label(label) for term, label in (labels or {}).items()}
    often = Counter(told.values())
    short = {term: f"{text} [{term_text(term, prefixes)}]" if often[text] > 1 else text for term, text in told.items()}
    triples = tuple(triples)
    for subject, verb, class_ in triples:
        if subject.startswith(f"<{MEMBER}") and verb == v.RDF_TYPE:
            short.setdefault(subject, f"(a member of {short.get(class_) or term_text(class_, prefixes)})")
    manchester = Manchester(about_of(triples), lambda term: short.get(term) or term_text(term, prefixes))

    def word(term: str) -> str | None:
        return manchester.inside(term) or manchester.members(term) if is_blank(term) else short.get(term)

    def statement(triple: Triple) -> str | None:
        return manchester.group(triple[0]) if is_blank(triple[0]) else None

    def is_inside(triple: Triple) -> bool:
        return is_part(triple) and triple[0] in read

    read = manchester.readable(triples)
    return Names(prefixes, word, statement, is_inside)


def quote_label(label: str) -> str:
    r"""Return a label as a name: printable, on one line, and in single quotation marks if it is not one word.

    >>> quote_label("hand"), quote_label("part of"), quote_label("Fingal's\ncave")
    ('hand', "'part of'", "'Fingal\\'s cave'")
    """
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in label).split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    if _WORD.fullmatch(text) and text not in _KEYWORDS:
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def terms_of(proof: Step) -> dict[str, None]:
    """Return the terms that a proof mentions: in its facts, its rules, their axioms, and its expressions."""
    found = dict.fromkeys(term for each in proof.described for term in each)
    for step in proof.steps():
        found.update(dict.fromkeys(map(str, step.fact.terms)))
        if step.rule is not None:
            for atom in (*step.rule.heads, *step.rule.body):
                found.update(dict.fromkeys(term for term in atom.terms if isinstance(term, str)))
            for source in step.rule.sources:
                found.update(dict.fromkeys(source))
    return found
