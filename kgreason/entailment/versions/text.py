"""A comparison as text for a terminal, and as Markdown for a pull request.

    asserted: 1 axiom added, 1 removed
      + :MeatTopping SubClassOf :HotTopping
      - :MeatTopping SubClassOf :Topping
    gained: 5 entailed triples
      because of :MeatTopping SubClassOf :HotTopping
        + :HamTopping SubClassOf :HotTopping
        and 4 more

Axioms and class expressions stand in Manchester syntax. In Markdown each group is a list below its axioms; a long list
is folded. Terms stand in code spans, so nothing in a literal is read as Markdown or HTML. Cost: linear in the triples
that are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kgreason.entailment.versions.comparison import Comparison, Group, Side
from kgreason.ontology.manchester import Manchester
from kgreason.proofs.notation import term_text
from kgreason.proofs.words.naming import names

_UNFOLDED = 10
"""Markdown folds a list of more lines than this."""
_EMPTY = "nothing can be in {} any more, because of"
_FILLED = "something can be in {} again, which was empty because of"


def to_text(comparison: Comparison, prefixes: Mapping[str, str], most: int) -> str:
    """Write a comparison as indented text. At most `most` axioms, and triples of each group, are shown."""
    gained, lost = _Words(comparison.gained, prefixes, comparison), _Words(comparison.lost, prefixes, comparison)
    lines = [f"asserted: {_edit_counts(gained, lost)}"]
    for mark, words in (("+", gained), ("-", lost)):
        lines += [f"  {mark} {each}" for each in words.axioms[:most]]
        if len(words.axioms) > most:
            lines.append(f"  {mark} and {len(words.axioms) - most:,} more")
    for name, mark, words in (("gained", "+", gained), ("lost", "-", lost)):
        lines.append(f"{name}: {_summary(words.side)}")
        for group in words.side.groups:
            lines.append(f"  because of {words.axioms_text(group)}")
            lines += [f"    {mark} {words.axiom(each)}" for each in group.triples[:most]]
            if len(group.triples) > most:
                lines.append(f"    and {len(group.triples) - most:,} more")
        lines += [f"  contradiction: {each}" for each in words.contradictions]
        lines += _omission_lines(words.side)
    lines += [gained.empty(group, _EMPTY) for group in gained.side.unsatisfiable]
    lines += [lost.empty(group, _FILLED) for group in lost.side.unsatisfiable]
    return "".join(f"{line}\n" for line in lines)


def to_markdown(comparison: Comparison, prefixes: Mapping[str, str], most: int, old: str, new: str) -> str:
    """Write a comparison as Markdown. At most `most` triples of each group are shown. `old`, `new`: names of files."""
    gained, lost = _Words(comparison.gained, prefixes, comparison), _Words(comparison.lost, prefixes, comparison)
    lines = [f"## What {_code(new)} entails, compared with {_code(old)}", ""]
    lines += [f"### Asserted: {_edit_counts(gained, lost)}", ""]
    for name, words in (("Added", gained), ("Removed", lost)):
        if words.axioms:
            lines += [f"{name}:", "", *_lines(list(map(_code, words.axioms)), most, "axioms")]
    for name, words in (("Gained", gained), ("Lost", lost)):
        lines += [f"### {name}: {_summary(words.side)}", ""]
        for group in words.side.groups:
            lines += [f"Because of {words.axioms_text(group, code=True)}:", ""]
            lines += _lines([_code(words.axiom(each)) for each in group.triples], most)
        if words.contradictions:
            lines += ["Contradictions:", "", *_lines(list(map(_code, words.contradictions)), most, "contradictions")]
        lines += [f"{line.strip()}\n" for line in _omission_lines(words.side)]
    empty = [gained.empty(each, _EMPTY, code=True) for each in gained.side.unsatisfiable]
    empty += [lost.empty(each, _FILLED, code=True) for each in lost.side.unsatisfiable]
    if empty:
        lines += ["### Classes that nothing can be in", "", *_lines(empty, most, "classes")]
    return "\n".join(lines).rstrip("\n") + "\n"


class _Words:
    """A side of a comparison, and how it is put into words."""

    def __init__(self, side: Side, prefixes: Mapping[str, str], comparison: Comparison) -> None:
        self.side = side
        known = {**comparison.prefixes, **prefixes}
        self._names = names(known, (*side.stated, *side.described), comparison.labels)
        self._manchester: Manchester = side.manchester(self._names)
        self.axioms = side.axioms(self._names)

    @property
    def contradictions(self) -> list[str]:
        return [each.to_text(self._names) for each in self.side.contradictions]

    def axiom(self, triple: tuple[str, str, str]) -> str:
        return self._manchester.axiom(triple)

    def axioms_text(self, group: Group, *, code: bool = False) -> str:
        """Return the axioms of a group as one line of text. With `code` each axiom is a code span of Markdown.

        If the group has no axioms, the text gives the possible causes.
        """
        texts = self._manchester.axioms(group.axioms)
        if not texts:
            return "no single axiom: literals that only this version uses, or a rule that says NOT"
        return " and ".join(map(_code, texts) if code else texts)

    def empty(self, group: Group, said: str, *, code: bool = False) -> str:
        """Say of the class of a group that nothing can be in it, or that something can be, and why."""
        name = term_text(group.triples[0][0], self._names)
        return f"{said.format(_code(name) if code else name)} {self.axioms_text(group, code=code)}"


def _edit_counts(gained: _Words, lost: _Words) -> str:
    return f"{_amount(len(gained.axioms), 'axiom')} added, {len(lost.axioms):,} removed"


def _summary(side: Side) -> str:
    told = _amount(side.entailed, "entailed triple")
    return f"{told} and {_amount(len(side.contradictions), 'contradiction')}" if side.contradictions else told


def _omission_lines(side: Side) -> Iterator[str]:
    if side.untold:
        yield f"  {_amount(side.untold, 'more entailed triple')}, not explained: --limit explains more"
    if side.blank:
        yield f"  {_amount(side.blank, 'entailed triple')} with blank nodes, not shown"


def _lines(texts: Sequence[str], most: int, noun: str = "triples") -> list[str]:
    """Return the lines of a Markdown list with at most `most` of the texts. A long list is folded."""
    items = [f"- {text}" for text in texts[:most]]
    if len(texts) > most:
        items.append(f"- and {len(texts) - most:,} more")
    if len(texts) <= _UNFOLDED:
        return [*items, ""]
    return ["<details>", f"<summary>{len(texts):,} {noun}</summary>", "", *items, "", "</details>", ""]


def _code(text: str) -> str:
    """Return a text as a code span of Markdown. Its fences have more backticks than any run of them in the text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _amount(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
