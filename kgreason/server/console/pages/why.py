"""The page that says why a triple holds (/explain), or why it does not hold (/why-not)."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.requests import Request

from kgreason.server.console.frame import Frame, html
from kgreason.server.console.markup import Row, empty_notice, rule_text, table
from kgreason.server.console.tree import tree
from kgreason.server.console.vocabulary import Words
from kgreason.server.problems import Problem


async def why_page(request: Request, triple: str = "") -> None:
    """Make the page that says why a triple holds, or why it does not hold."""
    with Frame(request, "Explore", title="Why?") as frame:
        content = html("")

    async def load() -> None:
        try:
            proof = await frame.calls.json("/explain", triple=triple, folded="true")
        except Problem as problem:
            if problem.status != 400:
                raise
            content.set_content(
                _why_not_markup(problem, await frame.calls.json("/why-not", triple=triple), frame.words)
            )
            return
        content.set_content(tree(proof, frame.words))

    frame.when_connected(load)


def _why_not_markup(problem: Problem, told: dict[str, Any], words: Words) -> Markup:
    """Show why a triple does not hold: the rules that come closest to deriving it, and what each rule lacks."""
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
    head = empty_notice("The graph does not have this triple", rule_text(problem.detail, words))
    if not rows:
        return head
    return head + Markup("<h2>Rules that could derive it</h2>") + table(["rule", "", "lacks"], rows, label="Rules")
