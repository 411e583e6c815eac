"""The page Contradictions: each contradiction with its proof, and the asserted triples whose removal would end it.

Below stand the classes that nothing can be in, each with a proof and its repairs. To find these classes takes longer
than to list the contradictions, so the page asks for them last.

Such a triple is a *repair*. To find repairs, the page asks /what-if about the removal of one triple of the proof after
the other: the answer lists under `ended` the contradictions that the removal would end. For a class, the same edit
gives the class a member; the removal is a repair if the member raises no contradiction. An axiom is removed with its
annotations (owl:Axiom), because an annotated axiom holds even without its own triple.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple
from uuid import uuid4

from markupsafe import Markup
from nicegui import ui
from pyoxigraph import RdfFormat, parse
from starlette.requests import Request

from kgreason.entailment.repairs import OF_ANNOTATIONS, annotated_axiom, may_repair, notes
from kgreason.proofs.words.naming import MEMBER
from kgreason.rules.model import Triple
from kgreason.server.console.frame import Frame, button, html
from kgreason.server.console.markup import empty_notice, rule_text, term, triple
from kgreason.server.console.tree import tree
from kgreason.server.console.vocabulary import Words
from kgreason.server.paths.clients.transactions import LINES
from kgreason.server.problems import Problem
from kgreason.terms import vocabulary as v

_SHOWN, _TRIED = 50, 30
_NO_REPAIR = "No single triple is enough: there are several proofs. Remove triples of each on the page Edit."
_LOOKING = "Looking for classes that nothing can be in…"
_NONE = empty_notice(
    "The graph has no contradictions", "If an edit would bring one, the page Edit says so before you commit."
)


async def contradictions_page(request: Request) -> None:
    """Make the page Contradictions."""
    with Frame(request, "Contradictions") as frame:
        page = _Contradictions(frame)
    frame.when_connected(page.load)


class _Place(NamedTuple):
    """The elements of the page for the repairs of one contradiction.

    They are a message (`state`), the button that ends the search (`stop`), and the repairs found (`offers`).
    """

    state: ui.html
    stop: ui.element
    offers: ui.element

    def show_state(self, message: str) -> None:
        self.state.set_content(Markup('<span class="mark" role="status">{}</span>').format(message) if message else "")


class _Contradictions:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._state = html("").classes("state")
        self._content = ui.element("div").classes("contradictions")
        self._of_classes = html("").classes("state")
        self._classes = ui.element("div").classes("contradictions")

    async def load(self) -> None:
        await self._load_contradictions()
        await self._load_classes()

    async def _load_classes(self) -> None:
        """Ask for the classes that nothing can be in. If the server does not find them in time, the page says so."""
        self._classes.clear()
        self._of_classes.set_content(_LOOKING)
        try:
            asked = {"classes": "true", "proofs": "true", "folded": "true"}
            found = await self._frame.calls.json("/contradictions", **asked, limit=_SHOWN + 1)
        except Problem as problem:
            self._of_classes.set_content(Markup("The classes that nothing can be in are not known: {}").format(problem))
            return
        more = f"These are the first {_SHOWN}; there are more." if len(found) > _SHOWN else ""
        self._of_classes.set_content(more if found else "Every class can have members.")
        with self._classes:
            for each in found[:_SHOWN]:
                self._show(each)

    async def _load_contradictions(self) -> None:
        found = await self._frame.calls.json("/contradictions", proofs="true", folded="true", limit=_SHOWN + 1)
        self._content.clear()
        with self._content:
            if not found:
                html(_NONE)
            for each in found[:_SHOWN]:
                self._show(each)
        if len(found) > _SHOWN:
            self._state.set_content(f"These are the first {_SHOWN}; there are more.")

    def _show(self, found: dict[str, Any]) -> None:
        with ui.element("section").classes("contradiction"):
            self._show_proof(found)
            with ui.element("div").classes("bar repairs"):
                button("Find repairs", self._frame.handler(lambda: self._find_repairs(found, place), found["message"]))
                stop = button("Stop", lambda: self._frame.stop(found["message"])).props("disabled")
                state = html("")
            place = _Place(state, stop, ui.element("div"))

    def _show_proof(self, found: dict[str, Any]) -> None:
        """Show the message and the proof of a contradiction, or of a class that nothing can be in."""
        words = self._frame.words
        html(Markup("<h2>{}</h2>").format(rule_text(found.get("words", found["message"]), words)))
        if found["proof"]:
            html(Markup("<details><summary>Proof</summary>{}</details>").format(tree(found["proof"], words)))

    async def _find_repairs(self, found: dict[str, Any], place: _Place) -> None:
        """Search the triples whose removal ends the contradiction `found`, and show them in the elements of `place`."""
        place.offers.clear()
        place.stop.props(remove="disabled")
        try:
            place.show_state(await self._try_repairs(found, place))
        except asyncio.CancelledError:
            place.show_state("stopped")
            raise
        finally:
            place.stop.props("disabled")

    async def _try_repairs(self, found: dict[str, Any], place: _Place) -> str:
        """Ask /what-if about the first `_TRIED` candidates, and show those whose removal ends the contradiction.

        Returns the message to show at the end: empty if there is such a candidate.
        """
        shown, words = set[Triple](), self._frame.words.with_expressions((found["proof"] or {}).get("described", ()))
        tried = list(removal_candidates(found["proof"]))[:_TRIED] if found["proof"] else []
        for number, each in enumerate(tried, 1):
            place.show_state(f"trying to remove triple {number} of {len(tried)} of the proof…")
            try:
                gone = await self._with_annotations(each)
                told = await self._try_removal(gone, found.get("class"))
            except Problem:
                continue
            helps = not told["contradictions"] if "class" in found else found["message"] in told["ended"]
            if helps and gone[0] not in shown:
                shown.add(gone[0])
                with place.offers:
                    self._offer_removal(gone, told, words)
        return "" if shown else _NO_REPAIR

    async def _with_annotations(self, each: Triple) -> list[Triple]:
        """Return a triple, and the triples of the nodes that annotate it as an axiom.

        If the triple says which axiom a node annotates, this axiom is returned in its place.
        """
        axiom = each
        if each[1] in OF_ANNOTATIONS:
            axiom = annotated_axiom(await self._matching_triples(s=each[0])) or each
        ends = [await self._matching_triples(p=OF_ANNOTATIONS[place], o=axiom[place]) for place in (0, 2)]
        nodes = sorted(set.intersection(*({subject for subject, *_ in end} for end in ends)))
        about = [await self._matching_triples(s=node) for node in nodes[:_TRIED]]
        return [axiom, *chain.from_iterable(told for told in about if annotated_axiom(told) == axiom)]

    async def _matching_triples(self, **pattern: str) -> list[Triple]:
        async with self._frame.calls.open("GET", "/match", {**pattern, "asserted": "true"}) as answer:
            rows = [quad.triple for quad in parse(await answer.read(), format=RdfFormat.N_QUADS)]
        return [(str(row.subject), str(row.predicate), str(row.object)) for row in rows]

    async def _try_removal(self, gone: Sequence[Triple], name: str | None) -> Any:
        """Ask what a removal of triples would change, with a member of the class `name` if there is one."""
        edits, options = removal_lines(gone) + (membership_line(name) if name else ""), {"limit": 0}
        answer = await self._frame.calls.send("POST", "/what-if", edits, LINES, parameters=options)
        return await answer.json()

    def _offer_removal(self, gone: Sequence[Triple], told: dict[str, Any], words: Words) -> None:
        """Offer to remove an axiom, the first triple of `gone`, with its annotations, which follow."""
        count = sum(told["counts"]["disappeared"].values())
        with ui.element("div").classes("repair"):
            html(
                Markup('{}{} <span class="mark">{} triple{} would disappear</span>').format(
                    triple(gone[0], words), _annotations_markup(gone, words), f"{count:,}", "" if count == 1 else "s"
                )
            )
            if self._frame.has_role("write"):
                button("Remove", self._frame.handler(lambda: self._remove(gone, told["commit"]), "remove"))

    async def _remove(self, gone: Sequence[Triple], commit: int) -> None:
        headers = {"if-match": f'"{commit}"'}
        answer = await self._frame.calls.send("POST", "/transactions", removal_lines(gone), LINES, headers=headers)
        await self.load()
        self._frame.show_message(f"Commit {answer.headers['kgreason-commit']} is saved: the triple is gone.", "done")


def removal_candidates(proof: dict[str, Any]) -> Iterator[Triple]:
    """Yield the triples of a proof whose removal may help.

    They are the asserted triples of the proof, and the axioms from which its rules were translated. Parts of class
    expressions and declarations are left out. A triple with owl:annotatedSource stands for the annotated axiom. The
    member that the search gives a class is no triple of the graph.
    """
    seen = set()
    for step in proof["steps"]:
        found = [step["fact"]["terms"]] if step["asserted"] and step["fact"]["relation"] is None else []
        found += step.get("rule", {}).get("sources", [])
        for subject, predicate, object_ in found:
            each = (subject, predicate, object_)
            is_own = may_repair(each) or predicate == OF_ANNOTATIONS[0]
            if each not in seen and is_own and not subject.startswith(f"<{MEMBER}"):
                seen.add(each)
                yield each


def _annotations_markup(gone: Sequence[Triple], words: Words) -> Markup:
    """Show the annotations of an axiom, as `Annotations: rdfs:comment "seen"`; nothing if it has none."""
    told = [Markup("{} {}").format(term(verb, words), term(value, words)) for verb, value in notes(gone)]
    return Markup(" Annotations: {}").format(Markup(", ").join(told)) if told else Markup("")


def removal_lines(gone: Iterable[Triple]) -> str:
    """Return the lines of a transaction that removes triples. A blank node has its label in the graph."""
    return "".join(f"{json.dumps({'remove': ' '.join((*each, '.'))})}\n" for each in gone)


def membership_line(name: str) -> str:
    """Return the line of a transaction that gives a class a new member."""
    return f"{json.dumps({'add': f'<urn:uuid:{uuid4()}> {v.RDF_TYPE} {name} .'})}\n"
