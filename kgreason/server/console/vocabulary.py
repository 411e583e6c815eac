"""`Vocabulary`: the prefixes, classes and properties of a graph, for short names and for completion.

Well-known prefixes keep their usual namespaces, whatever a file says. All others that loaded files have declared count;
if a namespace has several, the first of them is shown. The prefix of any other namespace of a class or property is made
from the namespace: `http://example.org/univ-bench.owl#` is `univ-bench`.

Cost: a look at the prefixes, which ends if an edit holds it up, and three queries, at most once after a commit, and at
most once in ten seconds. They find the declared classes and properties with their labels, and look for further ones in
some ten thousands of triples.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy

from kgreason.errors import KgreasonError
from kgreason.graph.labels import best_labels, literal
from kgreason.ontology.manchester import Manchester, about_of
from kgreason.proofs.words.naming import names
from kgreason.server.console.calls import Calls
from kgreason.server.console.literals import literal_of
from kgreason.server.problems import Problem

WELL_KNOWN = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sh": "http://www.w3.org/ns/shacl#",
    "prov": "http://www.w3.org/ns/prov#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "http://schema.org/",
    "ub": "http://swat.cse.lehigh.edu/onto/univ-bench.owl#",
}
_ALWAYS = ("rdf", "rdfs", "owl", "xsd")
_SECONDS, _PATIENCE = 10, 1
_LANGUAGES = 50
_MOST = 5_000
_PROPERTIES = (
    "rdf:Property owl:ObjectProperty owl:DatatypeProperty owl:AnnotationProperty owl:TransitiveProperty"
    " owl:SymmetricProperty owl:FunctionalProperty"
)
_QUERY = f"""PREFIX rdf: <{WELL_KNOWN["rdf"]}> PREFIX rdfs: <{WELL_KNOWN["rdfs"]}> PREFIX owl: <{WELL_KNOWN["owl"]}>
SELECT DISTINCT ?kind ?term {{
  {{ VALUES ?type {{ rdfs:Class owl:Class }} ?term a ?type BIND("class" AS ?kind) }}
  UNION {{ VALUES ?type {{ {_PROPERTIES} }} ?term a ?type BIND("property" AS ?kind) }}
  UNION {{ {{ SELECT ?term {{ ?s a ?term }} LIMIT 20000 }} BIND("class" AS ?kind) }}
  UNION {{ {{ SELECT ?term {{ ?s ?term ?o }} LIMIT 20000 }} BIND("property" AS ?kind) }}
  FILTER(isIRI(?term))
}} LIMIT {_MOST}"""
_LABELS = f"""PREFIX rdfs: <{WELL_KNOWN["rdfs"]}> PREFIX owl: <{WELL_KNOWN["owl"]}>
PREFIX rdf: <{WELL_KNOWN["rdf"]}> PREFIX skos: <{WELL_KNOWN["skos"]}>
SELECT DISTINCT ?term ?label {{
  VALUES ?type {{ rdfs:Class owl:Class {_PROPERTIES} }} ?term a ?type
  {{ ?term rdfs:label ?label }} UNION {{ ?term skos:prefLabel ?label }}
  FILTER(isIRI(?term) && STRLEN(?label) <= 200)
}} LIMIT {2 * _MOST}"""
_NAMESPACES = """SELECT ?space (COUNT(*) AS ?uses) {
  { SELECT ?term { ?term a ?class } LIMIT 20000 } FILTER(isIRI(?term))
  BIND(REPLACE(STR(?term), "[^#/:]*$", "") AS ?space)
} GROUP BY ?space ORDER BY DESC(?uses) LIMIT 20"""
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_DECLARED = re.compile(r"(?i)@?\bprefix\s+([\w.-]*):")
_USED = re.compile(r"(?<![\w:?$@-])([A-Za-z][\w.-]*|):(?![/\s])")
_HIDING = re.compile(r"<[^<>\s]*>|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|(?<!\S)#[^\n]*")
"""A pattern for IRIs, strings and comments: a colon inside them is not part of a prefixed name."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


class Words:
    """The words that the console knows of a graph.

    They are the namespaces by prefix, the IRIs of classes and properties, and the labels of these IRIs.
    """

    def __init__(
        self,
        prefixes: Mapping[str, str],
        classes: Sequence[str] = (),
        properties: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.prefixes, self.classes, self.properties, self.labels = prefixes, classes, properties, labels or {}
        self._prefix = {namespace: prefix for prefix, namespace in reversed([*prefixes.items()])}
        self._rows: Sequence[tuple[str, str]] = ()
        self._is_labelled = False
        self._names = names(prefixes)
        self._manchester = Manchester(about_of(()), self._text)

    @property
    def languages(self) -> list[str]:
        """The languages of the labels, the first `_LANGUAGES` by their tags."""
        return sorted({literal_of(text).language for _, text in self._rows} - {""})[:_LANGUAGES]

    def with_labels(self, language: str) -> Words:
        """Return these words with labels in the place of IRIs, those in a language first; "" has labels of any."""
        found = copy(self)
        found.labels, found._is_labelled = best_label_texts(self._rows, language), True
        return found.with_expressions(())

    def label(self, iri: str) -> str | None:
        """Return the label that stands in the place of an IRI; None if the user wants no labels, or there is none."""
        return self._names.word(f"<{iri}>") if self._is_labelled and iri in self.labels else None

    def with_expressions(self, triples: Iterable[Sequence[str]]) -> Words:
        """Return these words with class expressions for blank nodes. `triples` say what the blank nodes stand for."""
        found, told = copy(self), [(each[0], each[1], each[2]) for each in triples]
        labels = {f"<{iri}>": label for iri, label in self.labels.items()} if self._is_labelled else {}
        if told or labels:
            found._names = names(self.prefixes, told, labels)
            found._manchester = Manchester(about_of(told), found._text)
        return found

    def expression(self, node: str) -> str | None:
        """Return what a blank node stands for, in Manchester syntax; None if that is not known."""
        return self._names.word(node)

    def statement(self, triple: Sequence[str]) -> str | None:
        """Return the axiom that the subject of a triple stands for, such as `DisjointClasses: A, B`; else None."""
        return self._names.statement((triple[0], triple[1], triple[2]))

    def is_inside(self, triple: Sequence[str]) -> bool:
        """Whether a triple is a part of an expression, so that the text of the expression has it."""
        return self._names.is_inside((triple[0], triple[1], triple[2]))

    def axioms(self, triples: Iterable[tuple[str, str, str]]) -> list[str]:
        """Return axioms in Manchester syntax."""
        return self._manchester.axioms(triples)

    def _text(self, term: str) -> str:
        if term.startswith("<") and (label := self.label(term[1:-1])) is not None:
            return label
        return self.name(term[1:-1]) if term.startswith("<") and not term.startswith("<<") else term

    def prefixed_name(self, iri: str) -> str | None:
        """Return an IRI as a prefixed name, or None if no known prefix fits.

        >>> Words(WELL_KNOWN).prefixed_name("http://www.w3.org/2002/07/owl#Thing")
        'owl:Thing'
        """
        namespace = namespace_of(iri)
        prefix, name = self._prefix.get(namespace), iri[len(namespace) :]
        return f"{prefix}:{name}" if prefix is not None and _LOCAL.fullmatch(name) else None

    def name(self, iri: str) -> str:
        """Return an IRI as people read it: as a prefixed name if a known prefix fits, else in angle brackets."""
        return self.prefixed_name(iri) or f"<{iri}>"

    def iri_of_prefixed(self, text: str) -> str | None:
        """Return the IRI that a prefixed name stands for; None if the text is no name with a known prefix."""
        prefix, colon, name = text.partition(":")
        return self.prefixes[prefix] + name if colon and prefix in self.prefixes else None

    def iri_named(self, text: str) -> str | None:
        """Return the IRI of a class or property whose name without the prefix, or whose label, is this text.

        Returns None if there is none. Capital and small letters count as equal. A name goes before a label, and a class
        before a property.
        """
        wanted = text.lower()
        terms = (*self.classes, *self.properties)
        named = (iri for iri in terms if local_name(iri).lower() == wanted)
        return next(named, None) or next((iri for iri in terms if self.labels.get(iri, "").lower() == wanted), None)

    def matches(self, iri: str, wanted: str) -> bool:
        """Whether each word of `wanted`, in small letters, occurs in the name or in the label of an IRI."""
        text = f"{self.name(iri)} {self.labels.get(iri, '')}".lower()
        return all(word in text for word in wanted.split())

    def undeclared_prefixes(self, text: str) -> dict[str, str]:
        """Return the known prefixes that a text uses but does not declare. The text is a query or a document."""
        declared = {name.lower() for name in _DECLARED.findall(text)}
        used = dict.fromkeys(_USED.findall(_HIDING.sub(" ", text)))
        return {name: self.prefixes[name] for name in used if name in self.prefixes and name.lower() not in declared}


class Vocabulary:
    """Keeps the `Words` of a graph, as of a recent commit."""

    def __init__(self, prefixes: Callable[[], Mapping[str, str]]) -> None:
        """`prefixes` returns the prefixes that the graph remembers; it may wait for an edit."""
        self._prefixes = prefixes
        self._words, self._commit, self._time = Words(WELL_KNOWN), -1, 0.0
        self._declared: Mapping[str, str] = {}
        self._reading: asyncio.Task[Mapping[str, str]] | None = None

    async def words(self, calls: Calls) -> Words:
        """Return the words of the graph. `calls` sends the requests to the server. Raises Problem.

        After a commit the words are read again, but at most once in ten seconds. If the user may not read the graph, or
        the query fails, the words that were read before are returned.
        """
        commit = (await calls.json("/health", live="true"))["commit"]
        if commit != self._commit and time.monotonic() - self._time > _SECONDS:
            is_whole = await self._read_prefixes()
            try:
                terms = [(kind.strip('"'), term[1:-1]) for kind, term in await calls.rows(_QUERY)]
                spaces = [space.strip('"') for space, _ in await calls.rows(_NAMESPACES)]
                labels = [(term[1:-1], label) for term, label in await calls.rows(_LABELS)]
            except (Problem, KgreasonError):
                return self._words
            self._words, self._time = words_of(terms, spaces, labels, self._declared), time.monotonic()
            if is_whole:
                self._commit = commit
        return self._words

    async def _read_prefixes(self) -> bool:
        """Read the prefixes of the graph. Returns whether they could be read: a page does not wait for a long edit."""
        reading = self._reading = self._reading or asyncio.create_task(asyncio.to_thread(self._prefixes))
        await asyncio.wait([reading], timeout=_PATIENCE)
        if not reading.done():
            return False  # the next page waits for the same thread
        self._reading = None
        with suppress(KgreasonError):
            self._declared = reading.result()
        return True


def words_of(
    rows: Iterable[tuple[str, str]],
    namespaces: Iterable[str] = (),
    labels: Iterable[tuple[str, str]] = (),
    declared: Mapping[str, str] | None = None,
) -> Words:
    """Make `Words` from rows (kind, IRI), where kind is "class" or "property". All `namespaces` get prefixes, too.

    `declared` are the prefixes of the graph. `labels` are pairs of an IRI and a literal. Of several labels of an IRI,
    `best_label_texts` chooses one.
    """
    known, given = sorted(set(rows)), list(labels)
    classes, properties = (tuple(term for kind, term in known if kind == wanted) for wanted in ("class", "property"))
    words = Words(
        prefixes_for((*classes, *properties, *namespaces), declared), classes, properties, best_label_texts(given)
    )
    words._rows = given
    return words


def best_label_texts(rows: Iterable[tuple[str, str]], language: str = "") -> dict[str, str]:
    """Choose a label for each IRI, from pairs of an IRI and a literal, as `graph.labels` does.

    >>> best_label_texts([("e:cat", '"Katze"@de'), ("e:cat", '"cat"@en')])
    {'e:cat': 'cat'}
    """
    return best_labels(((iri, literal(text)) for iri, text in rows), language)


def prefixes_for(iris: Iterable[str], declared: Mapping[str, str] | None = None) -> dict[str, str]:
    """Choose a prefix for the namespace of each IRI. Returns a dict from prefixes to namespaces.

    The prefixes that are `declared` count, but for a well-known prefix with another namespace than the usual one. If
    two other namespaces have the same last word, the one with more IRIs gets this word as its prefix.

    >>> prefixes_for(["http://e/zoo#Cat"])["zoo"]
    'http://e/zoo#'
    """
    usual = {namespace: prefix for prefix, namespace in WELL_KNOWN.items()}
    found = {prefix: WELL_KNOWN[prefix] for prefix in _ALWAYS}
    for prefix, namespace in (declared or {}).items():
        if WELL_KNOWN.get(prefix, namespace) == namespace:
            found[prefix] = namespace
    for namespace, _ in Counter(map(namespace_of, iris)).most_common():
        if namespace and namespace not in found.values():
            prefix = usual.get(namespace) or _new_prefix(namespace)
            number = 2
            while prefix in found:
                prefix, number = f"{_new_prefix(namespace)}{number}", number + 1
            found[prefix] = namespace
    return found


def namespace_of(iri: str) -> str:
    """Return the part of an IRI up to its last `#`, `/` or `:`.

    >>> namespace_of("http://e/zoo#Cat"), namespace_of("urn:cat")
    ('http://e/zoo#', 'urn:')
    """
    return iri[: max(iri.rfind(sign) for sign in "#/:") + 1]


def local_name(iri: str) -> str:
    """Return the part of an IRI after its namespace."""
    return iri[len(namespace_of(iri)) :]


def _new_prefix(namespace: str) -> str:
    """Make a prefix for a namespace from the namespace's last word."""
    parts = [part for part in re.split(r"[#/:]", namespace) if part]
    for part in reversed(parts):
        stem = re.sub(r"^www\.|\.(owl|rdf|ttl|html?)$", "", part, flags=re.IGNORECASE)
        if word := _WORD.search(stem):
            return word.group().lower()[:12].rstrip("-")
    return "ns"
