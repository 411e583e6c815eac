"""The page Explore: a term with its triples, or the classes of the graph; and the page that says why a triple holds.

Asserted and inferred triples are told apart (/triples). Every triple has a link to its proof.
"""

from __future__ import annotations

import asyncio
from typing import Any

from markupsafe import Markup
from starlette.requests import Request

from kgreason.server.console.frame import Frame, html
from kgreason.server.console.hierarchy import Hierarchy, read, tree_of
from kgreason.server.console.markup import Row, badge, empty, link, literal_of, plain, rule_text, table, term, why
from kgreason.server.console.tree import tree
from kgreason.server.console.vocabulary import Words
from kgreason.server.problems import Problem

_MOST = 300
_OFFERED = 500
_LABELS = ("<http://www.w3.org/2000/01/rdf-schema#label>", "<http://www.w3.org/2004/02/skos/core#prefLabel>")
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


async def explore_page(request: Request, term: str = "") -> None:
    """Make the page Explore: it shows a term, or the classes of the graph if `term` is empty."""
    with Frame(request, "Explore") as frame:
        form = html(_form(term, frame.words))
        content = html("")

    async def load() -> None:
        form.set_content(_form(term, frame.words))
        content.set_content(await (_term(term, frame) if term else _classes(frame)))

    frame.later(load)


def _form(text: str, words: Words) -> Markup:
    offered = (*words.classes, *words.properties)[:_OFFERED]
    options = Markup("").join(Markup('<option value="{}">').format(words.name(each)) for each in offered)
    form = Markup(
        '<form class="bar" action="/console/explore" role="search"><label for="term">Term</label>'
        '<input id="term" name="term" list="terms" value="{}" size="40" autocomplete="off" spellcheck="false"'
        ' placeholder="ub:Person or http://…"><datalist id="terms">{}</datalist>'
        '<button class="main">Explore</button></form>'
    )
    return form.format(plain(text, words) if text else "", options)


def asked(text: str, words: Words) -> str:
    """Turn what a user has typed into a term in N-Triples text.

    The user may type an IRI, with or without angle brackets, a short name, the name of a class or of a property, a
    blank node or a literal.
    """
    text = text.strip()
    if text.startswith(("<", "_:", '"')):
        return text
    return f"<{words.full(text) or words.named(text) or text}>"


async def _term(text: str, frame: Frame) -> Markup:
    name, words = asked(text, frame.words), frame.words
    out = await frame.calls.json("/triples", subject=name, limit=_MOST) if not name.startswith('"') else _NONE
    into = await frame.calls.json("/triples", object=name, limit=_MOST)
    parts = [_head(name, out["triples"], words)]
    if not (out["triples"] or into["triples"]):
        return parts[0] + empty("The graph does not have this term", "Check its spelling, or choose another one above.")
    hierarchy = await read(frame.calls)
    if name in hierarchy.classes:
        parts.append(_class(name, hierarchy, words))
    if out["triples"]:
        parts.append(_table("What it says", out, (1, 2), words))
    if into["triples"]:
        parts.append(_table("What says something of it", into, (0, 1), words))
    return Markup("").join(parts)


_NONE: dict[str, Any] = {"triples": [], "complete": True}


def _head(name: str, triples: list[dict[str, Any]], words: Words) -> Markup:
    labels = [each["triple"][2] for each in triples if each["triple"][1] in _LABELS]
    label = Markup("<p>{}</p>").format(literal_of(labels[0]).value) if labels and labels[0].startswith('"') else ""
    types = [
        Markup("{} {}").format(term(each["triple"][2], words), badge(each["asserted"]))
        for each in triples
        if each["triple"][1] == _TYPE
    ]
    told = Markup('<p class="types">a {}</p>').format(Markup(", ").join(types[:20])) if types else ""
    return Markup("<h2 class='term-name'>{}</h2>{}{}").format(term(name, words), label, told)


def _class(name: str, hierarchy: Hierarchy, words: Words) -> Markup:
    return Markup("<h2>Class</h2>{}").format(tree_of(hierarchy, words, around=name))


def _table(title: str, told: dict[str, Any], places: tuple[int, int], words: Words) -> Markup:
    triples = sorted(
        told["triples"], key=lambda each: (not each["asserted"], *(each["triple"][place] for place in places))
    )
    rows = [
        Row(
            [
                *(term(each["triple"][place], words) for place in places),
                badge(each["asserted"]),
                link(why(each["triple"]), "why?", "why"),
            ]
        )
        for each in triples
    ]
    names = ("subject", "predicate", "object")
    note = "" if told["complete"] else Markup("<p>There are more; these are the first {}.</p>").format(len(rows))
    head = [*(names[place] for place in places), "", ""]
    return Markup("<h2>{}</h2>{}{}").format(title, table(head, rows, label=title), note)


async def _classes(frame: Frame) -> Markup:
    hierarchy = await read(frame.calls)
    if not hierarchy.classes:
        return empty("The graph has no classes yet", link("/console/edit", "Add triples on the page Edit"))
    shown = await asyncio.to_thread(tree_of, hierarchy, frame.words)
    return Markup("<h2>Classes, with the number of their members</h2>{}").format(shown)


async def why_page(request: Request, triple: str = "") -> None:
    """Make the page that says why a triple holds, or why it does not hold."""
    with Frame(request, "Explore", title="Why?") as frame:
        content = html("")

    async def load() -> None:
        try:
            proof = await frame.calls.json("/explain", triple=triple)
        except Problem as problem:
            if problem.status != 400:
                raise
            content.set_content(_missing(problem, await frame.calls.json("/why-not", triple=triple), frame.words))
            return
        content.set_content(tree(proof, frame.words))

    frame.later(load)


def _missing(problem: Problem, told: dict[str, Any], words: Words) -> Markup:
    """Show why a triple does not hold: the rules that come closest to deriving it, and what each rule lacks.

    `told` is the answer of /why-not.
    """
    rows = [
        Row(
            [
                rule["name"],
                Markup('<span class="fact">{}</span>').format(rule_text(rule["rule"], words)),
                Markup("<br>").join(rule_text(fail["condition"], words) for fail in rule["fails"]),
            ]
        )
        for rule in told["rules"]
    ]
    head = empty("The graph does not have this triple", rule_text(problem.detail, words))
    if not rows:
        return head
    return head + Markup("<h2>Rules that could derive it</h2>") + table(["rule", "", "lacks"], rows, label="Rules")
