"""`consequences`: what an edit would do, as HTML, from the answer of /what-if.

The contradictions and validation results that would come or end are shown first, then the triples that would appear or
disappear.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from markupsafe import Markup
from pyoxigraph import DefaultGraph

from kgreason.errors import KgreasonError
from kgreason.server.console.markup import (
    LISTS,
    Row,
    badge,
    empty_notice,
    notice,
    plain_text,
    rule_text,
    table,
    term,
    triple,
)
from kgreason.server.console.results import result
from kgreason.server.console.tree import tree
from kgreason.server.console.vocabulary import Words
from kgreason.sparql.operations import DeleteData
from kgreason.sparql.parser import parse
from kgreason.terms.tags import parse_quads as quads_of

_PROVED = 5
"""How many of the triples to delete are proved."""
_ADVICE = "Deleting has no effect as long as these reasons hold; change one of them instead."


def consequences(told: dict[str, Any], words: Words) -> Markup:
    """Return the consequences of an edit as HTML. `told` is the answer of /what-if."""
    parts = [_summary(told)]
    parts += [_sentences("Contradictions that come", told["contradictions"], "contradicts", words)]
    parts += [_sentences("Contradictions that end", told["ended"], "appeared", words)]
    parts += [_results("Validation results that come", "appeared", told, words)]
    parts += [_results("Validation results that go", "disappeared", told, words)]
    reasons = {tuple(each["triple"]): each for each in told["reasons"]}
    for name, title in (("appeared", "Appears"), ("disappeared", "Disappears")):
        parts.append(_triples(title, name, told, reasons, words))
    return Markup("").join(parts)


def _summary(told: dict[str, Any]) -> Markup:
    counts = told["counts"]
    came, went = counts["appeared"], counts["disappeared"]
    if told.get("entailed") and not any((*came.values(), *went.values())):
        return Markup("")  # `undeleted_markup` says why
    if not any((*came.values(), *went.values(), counts["asserted"], counts["retracted"])):
        return empty_notice("This changes nothing", "The graph has these triples already, or lacks what you remove.")
    figures = {
        "asserted": came["asserted"],
        "inferred": came["inferred"],
        "disappear": sum(went.values()),
        "contradictions": len(told["contradictions"]),
    }
    if any(counts["results"].values()):
        figures |= {"results come": counts["results"]["appeared"], "go": counts["results"]["disappeared"]}
    cells = [Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(name, f"{count:,}") for name, count in figures.items()]
    return Markup('<dl class="counts" aria-label="Consequences in numbers">{}</dl>').format(Markup("").join(cells))


def _sentences(title: str, sentences: list[str], kind: str, words: Words) -> Markup:
    if not sentences:
        return Markup("")
    rows = (Row([Markup('<span class="fact">{}</span>').format(rule_text(each, words))], kind) for each in sentences)
    return Markup("<h2>{}</h2>{}").format(title, table(["contradiction"], rows, label=title))


def _results(title: str, name: str, told: dict[str, Any], words: Words) -> Markup:
    if not (results := told["results"][name]):
        return Markup("")
    kind = "contradicts" if name == "appeared" else "appeared"
    rows = [Row([term(each["focus"], words), result(each, words)], kind) for each in results]
    more = told["counts"]["results"][name] - len(rows)
    note = Markup("<p>and {} more results</p>").format(f"{more:,}") if more else ""
    return Markup("<h2>{}</h2>{}{}").format(title, table(["node", "result"], rows, label=title), note)


def _triples(title: str, name: str, told: dict[str, Any], reasons: dict[tuple[str, ...], Any], words: Words) -> Markup:
    kinds = [("asserted", each) for each in told[name]["asserted"]]
    kinds += [("inferred", each) for each in sorted(told[name]["inferred"], key=_is_blank)]
    if not kinds:
        return Markup("")
    rows = [
        Row([triple(each, words), badge(kind == "asserted"), reason_markup(reasons.get(tuple(each)), words)], name)
        for kind, each in kinds
    ]
    more = sum(told["counts"][name].values()) - len(rows)
    note = Markup("<p>and {} more triples</p>").format(f"{more:,}") if more else ""
    return Markup("<h2>{}</h2>{}{}").format(title, table(["triple", "", "because of"], rows, label=title), note)


def _is_blank(triple: list[str]) -> bool:
    """Whether a triple has a blank node. Such triples are shown last, because few people want to see them."""
    return any(term.startswith("_:") for term in triple)


def reason_markup(reason: dict[str, Any] | None, words: Words) -> Markup:
    """Show why a rule derives a triple: the axioms from which the rule was translated, or else the rule itself.

    `reason` is the triple's entry in `reasons` of the answer of /what-if.
    """
    if reason is None:
        return Markup("")
    if reason["axioms"]:
        told = [each for each in reason["axioms"] if each[1] not in LISTS] or reason["axioms"]
        lines = [triple(each, words) for each in told[:2]]
        return Markup('{} <span class="mark">{}</span>').format(Markup("<br>").join(lines), reason["rule"])
    return Markup('<span class="mark" title="{}">rule {}</span>').format(
        rule_text(reason["text"], words), plain_text(reason["rule"], words)
    )


def deletions(update: str) -> list[str]:
    """Return the triples of the default graph that an update names to delete, as Turtle; at most `_PROVED`.

    They are those of DELETE DATA. A text that is not an update has none.

    >>> deletions("DELETE DATA { <http://e/a> <http://e/b> 1 }")
    ['<http://e/a> <http://e/b> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .']
    """
    try:
        operations = parse(update)
    except KgreasonError:
        return []
    quads = (quad for each in operations if isinstance(each, DeleteData) for quad in quads_of(each.rows, lenient=True))
    found = (f"{quad.triple} ." for quad in quads if quad.graph_name == DefaultGraph())
    return list(islice(dict.fromkeys(found), _PROVED))


def undeleted_markup(count: int, proofs: Sequence[dict[str, Any]], words: Words) -> Markup:
    """Say that `count` triples stay although they are deleted, because rules derive them. Show the proofs that do."""
    derived = [proof for proof in proofs if "rule" in proof["steps"][proof["fact"]]]
    subject = "One of the triples is" if count == 1 else f"{count:,} of the triples are"
    parts = [Markup("<h2>It is inferred</h2>"), notice(f"{subject} inferred. {_ADVICE}", "warning")]
    return Markup("").join([*parts, *(tree(proof, words) for proof in derived[:_PROVED])])
