"""A comparison as text for a terminal, and as Markdown for a pull request.

    gained: 5 entailed triples
      because of :MeatTopping rdfs:subClassOf :HotTopping
        + :HamTopping rdfs:subClassOf :HotTopping
        and 4 more

In Markdown each group is a list below its axioms; a long list is folded. Terms stand in code spans, so nothing in a
literal is read as Markdown or HTML. Cost: linear in the triples that are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kgreason.entailment.versions.comparison import Axioms, Comparison, Group, Side
from kgreason.rules.formatter import format_term
from kgreason.rules.model import Triple
from kgreason.terms.vocabulary import RDF_TYPE

_UNFOLDED = 10
"""Markdown folds a list of more triples than this."""
_DEEPEST = 10


def to_text(comparison: Comparison, prefixes: Mapping[str, str], most: int) -> str:
    """Write a comparison as indented text. At most `most` triples of each group are shown."""
    lines: list[str] = []
    for name, mark, side in (("gained", "+", comparison.gained), ("lost", "-", comparison.lost)):
        lines.append(f"{name}: {_summary(side)}")
        for group in side.groups:
            lines.append(f"  because of {_because(group, prefixes)}")
            lines += [f"    {mark} {_triple(each, prefixes)}" for each in group.triples[:most]]
            if len(group.triples) > most:
                lines.append(f"    and {len(group.triples) - most:,} more")
        lines += [f"  contradiction: {each}" for each in side.contradictions]
        lines += _left_out(side)
    return "".join(f"{line}\n" for line in lines)


def to_markdown(comparison: Comparison, prefixes: Mapping[str, str], most: int, old: str, new: str) -> str:
    """Write a comparison as Markdown. At most `most` triples of each group are shown. `old`, `new`: names of files."""
    lines = [f"## What {_code(new)} entails, compared with {_code(old)}", ""]
    for name, side in (("Gained", comparison.gained), ("Lost", comparison.lost)):
        lines += [f"### {name}: {_summary(side)}", ""]
        for group in side.groups:
            lines += [f"Because of {_because(group, prefixes, code=True)}:", ""]
            lines += _lines([_code(_triple(each, prefixes)) for each in group.triples], most)
        if side.contradictions:
            lines += ["Contradictions:", "", *_lines([_code(each) for each in side.contradictions], most)]
        lines += [f"{line.strip()}\n" for line in _left_out(side)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _summary(side: Side) -> str:
    told = _amount(side.entailed, "entailed triple")
    if side.contradictions:
        told += f" and {_amount(len(side.contradictions), 'contradiction')}"
    return f"{told}; {_amount(len(side.asserted), 'asserted triple')}"


def _left_out(side: Side) -> Iterator[str]:
    if side.untold:
        yield f"  {_amount(side.untold, 'more entailed triple')}, not explained: --limit explains more"
    if side.blank:
        yield f"  {_amount(side.blank, 'triple')} with blank nodes, asserted or entailed, not shown"


def _because(group: Group, prefixes: Mapping[str, str], *, code: bool = False) -> str:
    """Return the axioms of a group as one line of text, with their restrictions and lists written out.

    With `code` each axiom is a code span of Markdown. If the group has no axioms, the text gives the possible causes.
    """
    texts = [_axiom(each, group.parts, prefixes) for each in group.axioms]
    if not texts:
        return "no single axiom: literals that only this version uses, or a rule that says NOT"
    return " and ".join(map(_code, texts) if code else texts)


def _axiom(axiom: Triple, parts: Axioms, prefixes: Mapping[str, str]) -> str:
    subject, predicate, object_ = axiom
    return f"{_term(subject, prefixes)} {_verb(predicate, prefixes)} {_object(object_, parts, prefixes, 0)}"


def _object(term: str, parts: Axioms, prefixes: Mapping[str, str], depth: int) -> str:
    """Return a term as text. A blank node becomes the triples of `parts` that have it as subject, in brackets.

    `depth` is the number of brackets around the term. If there are too many, a blank node becomes `[ ... ]`.
    """
    if not term.startswith("_:"):
        return _term(term, prefixes)
    said = [each for each in parts if each[0] == term] if depth < _DEEPEST else []
    inner = (f"{_verb(verb, prefixes)} {_object(other, parts, prefixes, depth + 1)}" for _, verb, other in said)
    return f"[ {' ; '.join(inner)} ]" if said else "[ ... ]"


def _triple(triple: Triple, prefixes: Mapping[str, str]) -> str:
    subject, predicate, object_ = triple
    return f"{_term(subject, prefixes)} {_verb(predicate, prefixes)} {_term(object_, prefixes)}"


def _term(term: str, prefixes: Mapping[str, str]) -> str:
    return format_term(term, prefixes)


def _verb(term: str, prefixes: Mapping[str, str]) -> str:
    return "a" if term == RDF_TYPE else _term(term, prefixes)


def _lines(texts: Sequence[str], most: int) -> list[str]:
    """Return the lines of a Markdown list with at most `most` of the texts. A long list is folded."""
    items = [f"- {text}" for text in texts[:most]]
    if len(texts) > most:
        items.append(f"- and {len(texts) - most:,} more")
    if len(texts) <= _UNFOLDED:
        return [*items, ""]
    return ["<details>", f"<summary>{len(texts):,} triples</summary>", "", *items, "", "</details>", ""]


def _code(text: str) -> str:
    """Return a text as a code span of Markdown. Its fences have more backticks than any run of them in the text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _amount(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
