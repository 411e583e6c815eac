"""A proof as a tree in HTML: each step is a line that opens and closes, with its premises below it.

Blank nodes are shown as the class expressions that they stand for, as far as the proof says it (`described`).

A step that is a premise of several other steps is shown once. Law: nothing here recurses, because a proof may be deep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from kgreason.server.console.literals import literal_of
from kgreason.server.console.markup import LISTS, badge, rule_text, term, triple
from kgreason.server.console.vocabulary import Words
from kgreason.shapes.vocabulary import FOCUS, RESULT, SH

_OPEN, _MOST = 3, 1_000
_END = Markup("</ul></details></li>")
_SHAPES: Mapping[str, tuple[Any, ...]] = {
    RESULT: ("{} violates {} of the shape {}", 3, 1, 0),
    FOCUS: ("{} is a focus node of the shape {}", 1, 0),
    "shacl_target": ("{} is a target of the shape {}", 1, 0),
    "shacl_fails": ("{} does not conform to the shape {}", 1, 0),
    "shacl_class": ("{} is {} or a class below it", 1, 0),
}
"""How facts of shapes are written: a text, and the places of the fact whose terms it has."""


def tree(proof: dict[str, Any], words: Words) -> Markup:
    """Show a proof as a tree. `proof` is the value that `Proof.to_json` returns. The first steps are open."""
    steps, told = proof["steps"], set[int]()
    words = words.with_expressions(proof.get("described", ()))
    parts = [Markup('<ul class="proof">')]
    waiting: list[tuple[int, int] | None] = [(proof["fact"], 0)]
    while waiting and len(parts) < _MOST:
        if (item := waiting.pop()) is None:
            parts.append(_END)
            continue
        place, depth = item
        step = steps[place]
        if "rule" not in step or place in told:
            parts.append(_line(step, words, is_told=place in told))
            continue
        told.add(place)
        parts.append(_opening(step, words, is_open=depth < _OPEN))
        waiting.append(None)
        waiting += [(each, depth + 1) for each in reversed(step.get("premises", ()))]
    parts += [_END] * waiting.count(None)
    return Markup("").join([*parts, Markup("</ul>")])


def _line(step: dict[str, Any], words: Words, *, is_told: bool) -> Markup:
    note = Markup('<span class="mark">shown above</span>') if is_told else ""
    return Markup('<li class="leaf"><span class="fact">{}</span> {} {}</li>').format(
        fact(step, words), _origin_badge(step), note
    )


def _opening(step: dict[str, Any], words: Words, *, is_open: bool) -> Markup:
    text = Markup('<li><span class="fact">{}</span><details{}><summary>by {}</summary>{}<ul>')
    return text.format(
        fact(step, words), Markup(" open") if is_open else "", _origin_badge(step), _reasons(step, words)
    )


def fact(step: dict[str, Any], words: Words) -> Markup:
    """Show the fact that a step derives."""
    for name in ("computed", "absent"):
        if name in step:
            return escape(step[name])
    relation, terms = step["fact"]["relation"], step["fact"]["terms"]
    if relation is None:
        return triple(terms, words)
    if relation == "false":
        return Markup("contradiction by {}").format(literal_of(terms[0]).value)
    if relation in _SHAPES:
        text, *places = _SHAPES[relation]
        return Markup(text).format(*(_term(terms[place], words) for place in places))  # noqa: S704  # of the table above
    return Markup("{}({})").format(relation, Markup(", ").join(term(each, words) for each in terms))


def _term(text: str, words: Words) -> Markup:
    """Show a term of a fact of shapes; a term of SHACL is a name without a link."""
    return escape(f"sh:{text[len(SH) + 1 : -1]}") if text.startswith(f"<{SH}") else term(text, words)


def _origin_badge(step: dict[str, Any]) -> Markup:
    if "rule" in step:
        return Markup('<span class="badge inferred">{}</span>').format(step["rule"]["name"])
    return badge(True) if step["asserted"] else Markup('<span class="mark">computed</span>')


def _axiom(source: Sequence[str], words: Words) -> Markup:
    return Markup('<p class="reason">axiom {}</p>').format(triple(source, words))


def _reasons(step: dict[str, Any], words: Words) -> Markup:
    rule = step["rule"]
    sources = [source for source in rule["sources"] if not words.is_inside(source)]
    lines = [_axiom(source, words) for source in sources if source[1] not in LISTS]
    cells = [_axiom(source, words) for source in sources if source[1] in LISTS]
    if cells:
        text = Markup('<details class="reason"><summary>the list of the axiom</summary>{}</details>')
        lines.append(text.format(Markup("").join(cells)))
    lines += [Markup('<p class="reason">where {}</p>').format(text) for text in rule["conditions"]]
    if not rule["sources"] and rule["text"].strip(" ."):
        lines.append(Markup('<pre class="rule">{}</pre>').format(rule_text(rule["text"], words)))
    return Markup("").join(lines)
