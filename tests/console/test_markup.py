"""HTML of texts: nothing of the graph becomes markup. Proofs, hierarchies and words of a graph, without a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.terms.quoting import quote

pytest.importorskip("nicegui")

from markupsafe import Markup
from nicegui import Client
from nicegui.page import page
from starlette.requests import Request

from kgreason.server.console import results
from kgreason.server.console.calls import page_message
from kgreason.server.console.consequences import consequences, undeleted_markup
from kgreason.server.console.controls import files, graphs, listing, past, terms
from kgreason.server.console.frame import _language_of, _languages, html
from kgreason.server.console.hierarchy import hierarchy, neighbourhood, tree_of
from kgreason.server.console.literals import literal_of
from kgreason.server.console.markup import Row, empty_notice, link, notice, table, term, triple, why_address, with_root
from kgreason.server.console.pages import explore, feed, ontology, shapes, status
from kgreason.server.console.pages import why as why_page
from kgreason.server.console.tree import tree
from kgreason.server.console.vocabulary import WELL_KNOWN, Words, prefixes_for, words_of
from kgreason.server.problems import Problem
from kgreason.terms.prefixes import undeclared_message

WORDS = Words(WELL_KNOWN)
EVIL = st.text(alphabet="<>&\"'`$ {}ax=/\\", max_size=20)


class Elements(HTMLParser):
    """The tags of a text and its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


@given(EVIL)
def test_no_text_becomes_markup(text: str) -> None:
    terms = [f"<http://e/{text}>", "_:b", quote(text), f"{quote(text)}@en", text]
    parts = [term(each, WORDS) for each in terms]
    parts += [
        triple(terms[:3], WORDS),
        notice(text),
        empty_notice(text, text),
        table([text], [Row([text])], label=text),
    ]
    elements = Elements("".join(parts))
    assert elements.found <= {
        "a",
        "span",
        "div",
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
    }
    assert elements.names <= {"class", "href", "title", "role", "aria-label", "tabindex", "scope"}
    assert all(link.startswith("/console/") for link in elements.links)
    assert why_address([terms[0], terms[0], terms[2]]).startswith("/console/why?triple=")


SCRIPT = "<script>'\"&</script>"
IRI = f"<http://e/{SCRIPT}>"
TRIPLE, OTHER = [IRI, IRI, f'"{SCRIPT}"@en'], ["_:b", IRI, f'"{SCRIPT}"^^{IRI}']
STEPS: list[dict[str, Any]] = [
    {
        "fact": {"relation": None, "terms": TRIPLE},
        "asserted": False,
        "rule": {"name": SCRIPT, "sources": [TRIPLE], "conditions": [SCRIPT], "text": SCRIPT},
        "premises": [1, 2, 3, 4],
    },
    {
        "fact": {"relation": "false", "terms": [f'"{SCRIPT}"']},
        "asserted": False,
        "rule": {"name": SCRIPT, "sources": [], "conditions": [], "text": SCRIPT},
        "premises": [2],
    },
    {"fact": {"relation": SCRIPT, "terms": [IRI]}, "asserted": True},
    {"computed": SCRIPT, "fact": {"relation": SCRIPT, "terms": []}, "asserted": False},
    {"absent": SCRIPT, "fact": {"relation": SCRIPT, "terms": []}, "asserted": False},
]
RULE = {"name": SCRIPT, "why": SCRIPT, "rule": SCRIPT, "rewrites": 1, "share": 0.1, "derivations": 1}
ROWS = {"asserted": [TRIPLE], "inferred": [OTHER]}
COUNTS = {"asserted": 1, "inferred": 1}
RESULT: dict[str, Any] = {
    "focus": IRI,
    "path": SCRIPT,
    "source_shape": "_:b",
    "component": SCRIPT,
    "severity": SCRIPT,
    "message": SCRIPT,
    "fact": [IRI] * 9,
}
RESULTS = {"appeared": [RESULT], "disappeared": [RESULT | {"path": IRI}]}
SHAPES = [{"shape": each, "path": SCRIPT, "parent": IRI, "severity": SCRIPT} for each in (IRI, "_:b")]
EDIT: dict[str, Any] = {
    "counts": {
        "appeared": COUNTS,
        "disappeared": COUNTS,
        "asserted": 1,
        "retracted": 1,
        "results": {"appeared": 1, "disappeared": 1},
    },
    "results": RESULTS,
    "contradictions": [SCRIPT],
    "ended": [SCRIPT],
    "appeared": ROWS,
    "disappeared": ROWS,
    "reasons": [
        {"triple": TRIPLE, "axioms": [TRIPLE], "rule": SCRIPT, "text": SCRIPT},
        {"triple": OTHER, "axioms": [], "rule": SCRIPT, "text": SCRIPT},
    ],
}
HEAD = {"time": SCRIPT, "author": SCRIPT, "commit": 1}
LABELLED = Words({"e": "http://e/"}, [IRI[1:-1]], [SCRIPT], {IRI[1:-1]: SCRIPT})
CLASSES = hierarchy([(IRI, "<http://e/a>")], {IRI: 1})


def html_of(make: Callable[[], object]) -> str:
    """The HTML of all elements that `make` makes."""
    with Client(page("/"), request=Request({"type": "http", "path": "/", "headers": []})) as client:
        make()
        return "".join(str(each.props.get("innerHTML", "")) for each in client.elements.values())


def triples_of_a_page(found: Sequence[Sequence[str]], graph: str = "") -> str:
    shown = object.__new__(explore._Explore)
    shown._frame, shown._graph = SimpleNamespace(words=LABELLED, has_role=lambda _: True), graph  # type: ignore[assignment]
    return html_of(lambda: shown._table(SCRIPT, explore.Triples([(each, True) for each in found], False), (0, 2)))


def listing_of(items: Sequence[Any]) -> str:
    def row(each: Any) -> Row:
        return Row([term(each, WORDS)])

    return html_of(lambda: listing.Listing(SCRIPT, [SCRIPT], items, row, lambda each, _: each))


SHOWN: dict[str, Callable[[], str]] = {
    "an edit": lambda: consequences(EDIT, WORDS),
    "a proof": lambda: tree({"fact": 0, "steps": STEPS}, WORDS),
    "classes": lambda: tree_of(CLASSES, LABELLED, SCRIPT).markup,
    "a class": lambda: neighbourhood(CLASSES, LABELLED, IRI),
    "rows": lambda: listing_of([IRI, f'"{SCRIPT}"'] * 60),
    "a commit": lambda: feed.commit_markup(1, {"appeared": ROWS, "disappeared": ROWS, "results": RESULTS}, HEAD, WORDS),
    "shapes": lambda: shapes.shapes(
        [each | {"results": 1, "focus": 1, "deactivated": True} for each in SHAPES],
        SimpleNamespace(words=LABELLED),  # type: ignore[arg-type]
    ),
    "a result": lambda: results.result(RESULT, LABELLED, with_node=True),
    "a question": lambda: feed.revert_question(1, HEAD),
    "commits": lambda: past.commit_options([HEAD]),
    "what stays": lambda: undeleted_markup(2, [{"fact": 0, "steps": STEPS}], WORDS),
    "offers": lambda: terms.term_options([terms.Hit(IRI[1:-1], SCRIPT)], WORDS),
    "a graph": lambda: graphs.graph_field(SCRIPT) + graphs.graph_options([SCRIPT]) + explore._graphs([SCRIPT]),
    "a file": lambda: table(
        ["", ""],
        [files.result_row(SCRIPT, {"detail": SCRIPT}), files.result_row(SCRIPT, {"counts": [SCRIPT] * 3})],
        label="",
    ),
    "rules": lambda: ontology.rules_markup(
        [(RULE, SCRIPT, SCRIPT, SCRIPT), (RULE, f"of the rule set: {SCRIPT} . x", SCRIPT, "")]
    ),
    "queries": lambda: status.slowest_queries([{"seconds": 1.0, "begun": 0.0, "text": SCRIPT}]),
    "a term": lambda: explore._FORM.format(SCRIPT, ""),
    "a label": lambda: explore._heading(
        IRI, explore.Triples([([IRI, explore._LABELS[0], f'"{SCRIPT}"'], True)], True), LABELLED
    ),
    "a triple": lambda: triples_of_a_page([TRIPLE, [IRI] * 3]),
    "a triple of a graph": lambda: triples_of_a_page([TRIPLE, OTHER], SCRIPT),
    "no triple": lambda: why_page._why_not_markup(
        Problem(400, SCRIPT), {"rules": [{"name": SCRIPT, "rule": SCRIPT, "fails": [{"condition": SCRIPT}]}]}, WORDS
    ),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_html_in_values_stays_text(shown: str) -> None:
    text = SHOWN[shown]()
    assert "script" in text
    assert "script" not in Elements(text).found
    assert not any(name.startswith("on") for name in Elements(text).names)


def test_plain_text_of_an_element_is_escaped() -> None:
    scope = {
        "type": "http",
        "path": "/kg/",
        "root_path": "/kg",
        "query_string": b"",
        "headers": [],
        "server": ("e", 80),
    }
    with Client(page("/"), request=Request(scope)):
        element = html("<b>")
        assert element.props["innerHTML"] == "&lt;b&gt;"
        element.set_content("<i>")
        assert element.props["innerHTML"] == "&lt;i&gt;"
        element.set_content(Markup("<u>"))
        assert element.props["innerHTML"] == "<u>"
        element.set_content(link("/console/edit", "<i>"))
        assert element.props["innerHTML"] == '<a class="" href="/kg/console/edit">&lt;i&gt;</a>'


@given(st.text(max_size=30), st.sampled_from(["", "@en", "^^<http://e/d>"]))
def test_a_literal_has_its_text(text: str, end: str) -> None:
    assert literal_of(quote(text) + end).value == text


def test_a_proof_is_a_tree_that_shows_each_step_once() -> None:
    with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        graph.add(
            " ".join(f"<e:{i}> <{'http://www.w3.org/2000/01/rdf-schema#subClassOf'}> <e:{i + 1}> ." for i in range(40))
        )
        graph.add("<e:x> a <e:0> .")
        proof = graph.explain("<e:x> a <e:40> .").to_json()
    shown = tree(proof, WORDS)
    assert shown.count("<details") == shown.count("</details>")
    assert shown.count("<ul") == shown.count("</ul>")
    assert "asserted" in shown


def test_only_direct_superclasses_are_drawn() -> None:
    pairs = [("<c>", "<b>"), ("<c>", "<a>"), ("<b>", "<a>"), ("<a>", ""), ("<d>", "<e>"), ("<e>", "<d>")]
    told = hierarchy(pairs, {"<a>": 3})
    assert told.classes["<c>"] == {"<b>"}
    assert told.classes["<d>"] == frozenset()
    shown = tree_of(told, WORDS).markup
    assert shown.count("<ul") == shown.count("</ul>")
    assert shown.index("&lt;a&gt;") < shown.index("&lt;b&gt;") < shown.index("&lt;c&gt;")


def test_prefixes_that_a_text_lacks_are_found() -> None:
    words = Words({"ub": "http://u/", "owl": WELL_KNOWN["owl"]})
    text = 'PREFIX owl: <x> SELECT * { ?x a ub:A ; owl:b "ub:C", <ub:d> } # ub:e'
    assert words.undeclared_prefixes(text) == {"ub": "http://u/"}
    assert words.undeclared_prefixes("<http://u/a> ?ub:x <ub:y>") == {}
    assert words.iri_of_prefixed("ub:A") == "http://u/A"
    assert words.prefixed_name("http://u/a b") is None


def test_a_warning_has_short_names_and_stays_text() -> None:
    counts = dict.fromkeys(("engine_bytes", "dictionary_bytes", *status._NAMES), 1)
    told = {"stats": counts, "commit": 1, "resident_bytes": 1, "waiting": {"edits": 0, "queries": 0}, "commits": []}
    told |= {"query_processes": 0, "streams": 0, "seconds": 1.0, "warnings": [f"<http://e/Cat> has no effect {SCRIPT}"]}
    text = status.status_markup(told, Words({"": "http://e/"}))
    assert ":Cat has no effect" in text
    assert "script" not in Elements(text).found


def test_messages_for_pages_name_no_argument_of_python() -> None:
    undeclared_query = f"{undeclared_message('ex', 'query')}; and so on"
    assert page_message(undeclared_query).endswith("begin the query with PREFIX ex: <http://example.org/>; and so on")
    assert "prefixes=" not in page_message(undeclared_message("ex", "text") + undeclared_message("", "update"))
    assert page_message("a SPARQL Update: use `update` for it") == "a SPARQL Update: the page Edit takes it"


def test_a_term_is_found_without_its_prefix() -> None:
    words = Words({"e": "http://e/"}, ["http://e/Cat"], ["http://e/age"])
    assert explore.typed_term("cat", words) == "<http://e/Cat>"
    assert explore.typed_term("e:dog", words) == "<http://e/dog>"
    assert explore.typed_term("urn:dog", words) == "<urn:dog>"
    assert explore.typed_term("dog", words) is None


def test_the_larger_namespace_has_the_plain_prefix() -> None:
    found = prefixes_for(["http://a/zoo#x", "http://b/zoo#x", "http://b/zoo#y"])
    assert (found["zoo"], found["zoo2"]) == ("http://b/zoo#", "http://a/zoo#")


def test_each_namespace_has_a_prefix_of_its_own() -> None:
    found = prefixes_for(["http://a/zoo#x", "http://b/zoo#x", "http://www.Department0.University0.edu/x", "urn:x"])
    assert len(set(found.values())) == len(found)
    assert {"zoo", "zoo2", "department0", "urn"} <= set(found)


def test_every_address_gets_the_prefix_and_no_text_does() -> None:
    text = 'href="/x" action="/y"'
    html = Markup('<form action="/console/explore"><a class="" href="{}" title="{}">{}</a></form>')
    shown = with_root(html.format(why_address(("<e:a>", "<e:b>", text)), text, text), "/kg")
    assert isinstance(shown, Markup)
    assert shown.count("/kg/") == 2
    assert shown.startswith('<form action="/kg/console/explore"><a class="" href="/kg/console/why?')
    assert with_root(html, "") is html


PIZZA = """@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:Cheesy owl:equivalentClass [ owl:intersectionOf ( :Pizza [ owl:onProperty :has ; owl:someValuesFrom :Cheese ] ) ] .
[] a owl:AllDisjointClasses ; owl:members ( :Cheesy [ owl:complementOf :Food ] ) .
:p a :Pizza ; :has :c . :c a :Cheese ."""
NAMED = Words({"": "http://e/", **WELL_KNOWN})


def test_expressions_stand_in_the_place_of_blank_nodes() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(PIZZA)
        proof = graph.explain("<http://e/p> a <http://e/Cheesy>").folded().to_json()
        rules = graph.rules()
        rows = graph.match("<http://e/Cheesy>", WELL_KNOWN["owl"] + "equivalentClass", asserted=True)
        (node,) = (str(row.object) for row in rows)
        told = NAMED.with_expressions(graph.described([node]))
    assert term(node, told).endswith(">(:Pizza and (:has some :Cheese))</a>")
    assert node in term(node, NAMED)
    shown = tree(proof, NAMED)
    assert "(:Pizza and (:has some :Cheese))" in shown
    assert ">_:" not in shown
    labelled = Words(NAMED.prefixes, labels={"http://e/Cheesy": "queso"})
    assert {
        reason for _, reason, *_ in ontology._matching_rules(ontology._rule_texts(rules, labelled), "QUESO disjoint")
    } == {"DisjointClasses: :Cheesy, (not :Food)"}
    reasons = {reason for _, reason, *_ in ontology._rule_texts(rules, NAMED)}
    assert ":Cheesy EquivalentTo :Pizza and (:has some :Cheese)" in reasons
    assert "DisjointClasses: :Cheesy, (not :Food)" in reasons
    assert not any("rdf:rest" in reason or reason.startswith("_:") for reason in reasons)


def test_labels_stand_in_the_place_of_ids_in_the_language_that_the_user_wants() -> None:
    rows = [("http://e/C", '"carotid artery"@en'), ("http://e/C", '"Halsschlagader"@de'), ("http://e/D", '"D"')]
    words = words_of([("class", "http://e/C"), ("class", "http://e/D")], labels=rows)
    assert words.languages == ["de", "en"]
    assert ">e:C</a>" in term("<http://e/C>", words)
    assert ">Halsschlagader</a>" in term("<http://e/C>", words.with_labels("de"))
    assert ">&#39;carotid artery&#39;</a>" in term("<http://e/C>", words.with_labels(""))
    negated = [("_:n", f"<{WELL_KNOWN['owl']}complementOf>", "<http://e/C>")]
    assert words.with_labels("de").with_expressions(negated).expression("_:n") == "(not Halsschlagader)"
    assert words.with_labels("de").name("http://e/C") == "e:C"  # what a user types and a query needs


@pytest.mark.parametrize(
    ("cookie", "language"), [(None, None), ("none", None), ("any", ""), ("de", "de"), ("<x>", None)]
)
def test_a_cookie_keeps_the_language_of_labels(cookie: str | None, language: str | None) -> None:
    assert _language_of(cookie) == language
    assert next(iter(_languages(WORDS, language))) == (language or ("none" if language is None else "any"))
