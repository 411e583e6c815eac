"""A short notation for the triples of tests: `x rdf:type C . x p "1" .`

Terms are apart by spaces, triples by a dot between spaces. `rdf:`, `rdfs:`, `owl:`, `xsd:` and `swrl:` are prefixes, a
bare word is a name of the example vocabulary; blank nodes are as in N-Triples, and so are literals (`"1"^^xsd:integer`,
`"x"@en`), which have no spaces here.
Any term may stand anywhere, so generalised triples can be written, which no parser of RDF reads.
`LIST head x1 ... xn` stands for the triples of a list whose further nodes are blank.
"""

from __future__ import annotations

from collections.abc import Iterator

from .graph import Triple
from .vocabulary import FIRST, NIL, OWL, RDF, RDFS, REST, XSD

_PREFIXES = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD, "swrl": "http://www.w3.org/2003/11/swrl#"}


def triples(text: str) -> set[Triple]:
    """The triples that the text names."""
    statements: list[list[str]] = [[]]
    for word in text.split():
        if word == ".":
            statements.append([])
        else:
            statements[-1].append(word)
    return {triple for words in statements if words for triple in _statement(words)}


def term(word: str) -> str:
    """The N-Triples text of one term."""
    if word.startswith('"'):
        value, marks, datatype = word.partition("^^")
        return value + marks + (term(datatype) if datatype else "")
    if word.startswith(("_:", "<")):
        return word
    prefix, colon, name = word.partition(":")
    return f"<{_PREFIXES[prefix]}{name}>" if colon else f"<http://example.org/{word}>"


def _statement(words: list[str]) -> Iterator[Triple]:
    if words[0] == "LIST":
        yield from list_triples(term(words[1]), [term(word) for word in words[2:]])
    else:
        s, p, o = map(term, words)
        yield s, p, o


def list_triples(head: str, items: list[str]) -> Iterator[Triple]:
    """The triples of an RDF list with this head; a further node is blank and named after the head."""
    name = "".join(character for character in head if character.isalnum())
    nodes = [head, *(f"_:{name}{i}" for i in range(1, len(items))), NIL]
    for i, item in enumerate(items):
        yield nodes[i], FIRST, item
        yield nodes[i], REST, nodes[i + 1]
