"""The page Ontology: each axiom with its rules (its translation), and the costs of these rules (/rules?costs=true)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from markupsafe import Markup
from nicegui import ui
from pyoxigraph import RdfFormat, parse
from starlette.requests import Request

from kgreason.server.console.frame import Frame, html
from kgreason.server.console.markup import Row, empty_notice, rule_text, table
from kgreason.server.console.vocabulary import Words

_SHOWN = 300
_GENERIC = "of the rule set"


async def ontology_page(request: Request) -> None:
    """Make the page Ontology."""
    with Frame(request, "Ontology") as frame:
        _Ontology(frame)


class _Ontology:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._told: Sequence[_RuleTexts] = ()
        with ui.element("div").classes("bar"):
            html(Markup('<label for="filter">Filter</label>'))
            field = ui.element("input").props('id="filter" type="search" placeholder="a class, property or rule"')
            field.on(
                "input",
                lambda event: frame.start_task(lambda: self._show(str(event.args)), "filter"),
                js_handler=_TYPED,
            )
            self._state = html("").classes("state")
        self._content = html("")
        frame.when_connected(self._load)

    async def _load(self) -> None:
        rules = await self._frame.calls.json("/rules", costs="true")
        self._told = await asyncio.to_thread(_rule_texts, rules, self._frame.words)
        await self._show("")

    async def _show(self, wanted: str) -> None:
        found = await asyncio.to_thread(_matching_rules, self._told, wanted)
        content = await asyncio.to_thread(rules_markup, found) if found else _NONE
        self._state.set_content(Markup("{} of {} rules").format(f"{len(found):,}", f"{len(self._told):,}"))
        self._content.set_content(content)


_TYPED = "(event) => emit(event.target.value)"
_NONE = empty_notice("No rule fits", "Try another word of the axiom or of the rule, or add axioms on the page Edit.")
_RuleTexts: TypeAlias = tuple[dict[str, Any], str, str, str]
"""A rule as the server tells it; why it runs, and its text, with short names; the labels of the terms of its axiom."""


def _rule_texts(rules: Sequence[dict[str, Any]], words: Words) -> list[_RuleTexts]:
    """Return the rules with their axioms in Manchester syntax."""
    axioms = {why: _triples(why) for why in dict.fromkeys(each["why"] for each in rules)}
    words = words.with_expressions(triple for found in axioms.values() for triple in found)
    reasons = {why: _axiom_text(found, words) or rule_text(why, words) for why, found in axioms.items()}
    labels = {why: " ".join(_labels(found, words)) for why, found in axioms.items()}
    return [(each, reasons[why := each["why"]], rule_text(each["rule"], words), labels[why]) for each in rules]


def _labels(axiom: Sequence[tuple[str, str, str]], words: Words) -> Iterator[str]:
    return (words.labels[term[1:-1]] for triple in axiom for term in triple if term[1:-1] in words.labels)


def _axiom_text(axiom: Sequence[tuple[str, str, str]], words: Words) -> str:
    """Return an axiom as text. A rule may come from an expression alone; then the text is the expression."""
    if all(map(words.is_inside, axiom)):
        inner = {triple[2] for triple in axiom}
        roots = dict.fromkeys(triple[0] for triple in axiom if triple[0] not in inner)
        return "\n".join(words.expression(root) or root for root in roots)
    return "\n".join(words.axioms(triple for triple in axiom if not words.is_inside(triple)))


def _triples(why: str) -> list[tuple[str, str, str]]:
    if not why.startswith(("<", "_:")):
        return []
    try:
        quads = list(parse(why, format=RdfFormat.TURTLE))
    except SyntaxError:
        return []
    return [(str(quad.subject), str(quad.predicate), str(quad.object)) for quad in quads]


def _matching_rules(told: Sequence[_RuleTexts], wanted: str) -> list[_RuleTexts]:
    """Return the rules that match a search."""
    parts = wanted.lower().split()
    texts = (f"{each['name']} {' '.join(others)}".lower() for each, *others in told)
    return [each for each, text in zip(told, texts, strict=True) if all(part in text for part in parts)]


def rules_markup(rules: Sequence[_RuleTexts]) -> Markup:
    """Show the rules as HTML, grouped by the axiom from which they were translated.

    Rules that come from no axiom are grouped by the reason why they run.
    """
    parts = []
    for kind, title in (("", "Axioms and the rules that they became"), (_GENERIC, "Rules that need no axiom")):
        grouped: dict[str, list[_RuleTexts]] = {}
        for each in rules:
            is_generic = each[1].startswith(_GENERIC)
            if is_generic == bool(kind):
                grouped.setdefault(each[1], []).append(each)
        if grouped:
            parts.append(Markup("<h2>{}</h2>{}").format(title, _table(grouped, title)))
    return Markup("").join(parts)


def _table(grouped: dict[str, list[_RuleTexts]], title: str) -> Markup:
    ranked = sorted(grouped.items(), key=lambda each: -sum(told[0]["rewrites"] for told in each[1]))
    rows = [
        Row(
            [
                Markup('<span class="fact">{}</span>').format(_axiom(reason)),
                Markup("").join(_rule(told, text) for told, _, text, _ in rules),
                f"{sum(told['rewrites'] for told, *_ in rules):,}",
                f"{sum(told['share'] for told, *_ in rules):.1%}",
                f"{sum(told['derivations'] for told, *_ in rules):,}",
            ]
        )
        for reason, rules in ranked[:_SHOWN]
    ]
    head = ["why", "rules", "rewrites", "share", "derivations"]
    more = len(ranked) - len(rows)
    note = Markup("<p>and {} more; filter to see them</p>").format(more) if more else ""
    return table(head, rows, label=title, numbers=(2, 3, 4)) + note


def _axiom(reason: str) -> str:
    lines = reason.removeprefix(f"{_GENERIC}: ").removesuffix(" .").split(" . ")
    cells = [line for line in lines if " rdf:first " in line or " rdf:rest " in line]
    told = [line for line in lines if line not in cells]
    return "\n".join([*told, "and its list"] if cells else told)


def _rule(told: dict[str, Any], text: str) -> Markup:
    stratum = f" (stratum {told['stratum']})" if told.get("stratum") else ""
    return Markup('<details><summary>{}{}</summary><pre class="rule">{}</pre></details>').format(
        told["name"], stratum, text
    )
