"""HTML of texts: nothing of the graph becomes markup. Proofs, hierarchies and words of a graph, without a browser."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.terms.quoting import quote

pytest.importorskip("nicegui")

from kgreason.server.console.hierarchy import hierarchy, tree_of
from kgreason.server.console.markup import Row, empty, literal_of, notice, table, term, triple, why
from kgreason.server.console.tree import tree
from kgreason.server.console.vocabulary import WELL_KNOWN, Words, prefixes_for

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
    parts += [triple(terms[:3], WORDS), notice(text), empty(text, text), table([text], [Row([text])], label=text)]
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
    assert why([terms[0], terms[0], terms[2]]).startswith("/console/why?triple=")


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
    shown = tree_of(told, WORDS)
    assert shown.count("<ul") == shown.count("</ul>")
    assert shown.index("&lt;a&gt;") < shown.index("&lt;b&gt;") < shown.index("&lt;c&gt;")


def test_prefixes_that_a_text_lacks_are_found() -> None:
    words = Words({"ub": "http://u/", "owl": WELL_KNOWN["owl"]})
    text = 'PREFIX owl: <x> SELECT * { ?x a ub:A ; owl:b "ub:C", <ub:d> } # ub:e'
    assert words.undeclared(text) == {"ub": "http://u/"}
    assert words.undeclared("<http://u/a> ?ub:x <ub:y>") == {}
    assert words.full("ub:A") == "http://u/A"
    assert words.short("http://u/a b") is None


def test_each_namespace_has_a_prefix_of_its_own() -> None:
    found = prefixes_for(["http://a/zoo#x", "http://b/zoo#x", "http://www.Department0.University0.edu/x", "urn:x"])
    assert len(set(found.values())) == len(found)
    assert {"zoo", "zoo2", "department0", "urn"} <= set(found)
