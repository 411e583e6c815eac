"""Turns terms as users write them, at any place of a quad, into N-Triples text.

    <http://e/a>   "x"@en   _:b   <<( ... )>>     N-Triples; a datatype may have a prefix: "1"^^xsd:byte
    http://e/a     urn:x:y                         a plain IRI: it has `//`, or a scheme of `SCHEMES`
    ex:a                                           a name, with `prefixes={"ex": ...}`; rdf, rdfs, owl, xsd are known
    a                                              rdf:type, as a predicate
    NamedNode(...), URIRef(...)                    terms of pyoxigraph, and of rdflib if rdflib is imported
    5   1.5   True   Decimal("0.1")   date(...)    Python values, as objects: literals of XSD

Law: a text means the same term at all places and in all functions. A text that could mean two terms, or that means no
term, is an error, and the message says how to write the term. Cost: about a microsecond a term.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isinf, isnan
from numbers import Integral
from textwrap import shorten
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Triple

from kgreason.errors import InputError, InputTypeError
from kgreason.interrupts import let_out
from kgreason.store.oxigraph.update import Term
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import LONGEST, check_length
from kgreason.terms.prefixes import SCHEMES, USUAL, undeclared_message
from kgreason.terms.tags import literal_with_tag, parse_quads
from kgreason.terms.untagged_literals import PROBLEM, is_untagged

UserTerm: TypeAlias = "str | Term | DefaultGraph | bool | int | float | Decimal | datetime | date"
"""The types of values that a user may pass as a term. Terms of rdflib are subclasses of `str`."""
Prefixes: TypeAlias = Mapping[str, str]
NO_PREFIXES: Prefixes = MappingProxyType({})
PLACES = ("subject", "predicate", "object", "graph")

_NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)")
_SHORT = 40
_MANY = 4096
"""So many terms are parsed together."""
_PLAIN = re.compile(r"\w+")
_IRI = r"<[^\x00-\x20<>\"{}|^`]*>"
_BLANK = r"_:[^\s<>\"]+"
_QUOTED = r'"(?:[^"\\\r\n]|\\.)*"'
_LITERAL = rf"{_QUOTED}(?:\^\^{_IRI}|@[A-Za-z0-9-]+)?"
_N_TRIPLES = {
    "subject": re.compile(rf"{_IRI}|{_BLANK}"),
    "predicate": re.compile(_IRI),
    "object": re.compile(rf"{_IRI}|{_LITERAL}|{_BLANK}|<<\(.*\)>>", re.DOTALL),
    "graph": re.compile(rf"{_IRI}|{_BLANK}"),
}
"""The N-Triples terms that may stand at each place."""
_TYPED = re.compile(rf'({_QUOTED}\^\^)([^<"\s]+)')
_PREFIX = re.compile(r"[\w.-]*")
_NAME = re.compile(r"([\w.-]*):([^\s<>\"{}|^`]*)")
_BEGUN = {
    '"': 'a text has one quotation mark before it and one after it; in the text, write \\"',
    "<": "an IRI in angle brackets has no spaces in it, and nothing after the >",
    "_": "a blank node is written as _: and a label of letters and digits",
}
"""How to write a term that begins with this letter, for messages about a text that is not a term."""
_WANTED = {
    "subject": "an IRI or a blank node",
    "predicate": "an IRI",
    "object": "an IRI, a literal, a blank node, or a Python number, bool, Decimal, date or datetime",
    "graph": "an IRI, a blank node or DefaultGraph()",
}


def term_text(value: object, place: str, prefixes: Prefixes = NO_PREFIXES) -> str:
    """Return the N-Triples text of a user's term; a literal keeps its lexical form.

    `place` is "subject", "predicate", "object" or "graph". The result may be a term that RDF does not allow there, such
    as a literal as a subject; `term_text_at` checks this.

    Raises InputError for a text that is not exactly one term, InputTypeError for a value of a type that is no term. A
    Python value such as 5 or True is a term only as an object.
    """
    if type(value) is str:
        return _text_of_notation(value, place, prefixes)
    if isinstance(value, (NamedNode, BlankNode, Literal, Triple)):
        text = text_of(value)
        if is_untagged(text):
            raise InputError(f"{text}: {PROBLEM}")
        return text
    known = term_of_rdflib(value)
    if known is not None:
        return str(known)
    if isinstance(value, str):
        return _text_of_notation(str(value), place, prefixes)
    literal = _literal_of_python(value) if place == "object" else None
    if literal is None:
        raise InputTypeError(f"the {place} has to be {_WANTED[place]}; got {value!r} ({type(value).__name__})")
    return literal


def term_text_at(value: object, place: str, prefixes: Prefixes = NO_PREFIXES) -> str:
    """Do the same as `term_text`, but raise InputError for a term that RDF does not allow at this place."""
    if type(value) is str and _N_TRIPLES[place].fullmatch(value):
        return value
    text = term_text(value, place, prefixes)
    if not _N_TRIPLES[place].fullmatch(text):
        raise InputError(f"{text} cannot be the {place} of a quad: pass {_WANTED[place]}")
    return text


def graph_name(value: UserTerm, prefixes: Prefixes = NO_PREFIXES) -> NamedNode | BlankNode | None:
    """Return the name of a graph, or None for the default graph. Raises InputError."""
    if isinstance(value, DefaultGraph):
        return None
    found = term_of(term_text_at(value, "graph", prefixes))
    assert isinstance(found, (NamedNode, BlankNode))
    return found


def checked_prefixes(prefixes: Mapping[str, object] | None) -> Prefixes:
    """Check a user's prefixes, and return them with each namespace as text.

    Raises InputTypeError for a wrong type, InputError for an invalid prefix or namespace.
    """
    if prefixes is None:
        return NO_PREFIXES
    if not isinstance(prefixes, Mapping):
        raise InputTypeError(
            f"prefixes have to be a mapping like {{'ex': 'http://e/'}}; got {prefixes!r} ({type(prefixes).__name__})"
        )
    return {_prefix(prefix): _namespace(prefix, namespace) for prefix, namespace in prefixes.items()}


def _prefix(prefix: object) -> str:
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        raise InputError(f"{prefix!r}: not a prefix; pass a name like 'ex', without the colon")
    return prefix


def _namespace(prefix: str, namespace: object) -> str:
    if not isinstance(namespace, (str, NamedNode)):
        raise InputTypeError(
            f"the namespace of {prefix}: has to be an IRI as text; got {namespace!r} ({type(namespace).__name__})"
        )
    text = namespace.value if isinstance(namespace, NamedNode) else str(namespace)
    try:
        return NamedNode(text).value
    except ValueError as error:
        raise InputError(f"the namespace of {prefix}: has to be an IRI; got {text!r} ({error})") from error


def text_of(term: object) -> str:
    """Return the N-Triples text of a term of pyoxigraph."""
    return f"<<( {' '.join(map(text_of, term))} )>>" if isinstance(term, Triple) else str(term)


def term_of(text: str) -> Term:
    """Return the term of pyoxigraph for a text in N-Triples syntax, with its language tag as written.

    Raises InputError if the text is not one term.
    """
    check_length(utf8(text))
    try:
        [quad] = parse_quads(f"<a:> <a:> {text} <b:> .".encode())
        if quad.graph_name != NamedNode("b:"):  # the text has more than the term
            raise ValueError(text)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{text}: not a single term in N-Triples syntax") from error
    found: Term = quad.object
    return found


def terms_of_texts(texts: Sequence[str]) -> list[Term]:
    """Return the terms for several texts, as `term_of` does for one. Cost: one call of the parser for many."""
    found = list[Term]()
    for low in range(0, len(texts), _MANY):
        let_out()
        part = texts[low : low + _MANY]
        try:
            terms = [quad.object for quad in parse_quads("".join([f"<a:> <a:> {text} .\n" for text in part]).encode())]
        except (SyntaxError, ValueError):
            terms = []
        found += terms if len(terms) == len(part) else map(term_of, part)
    return found


def utf8(text: str) -> bytes:
    """Return the bytes of a text in UTF-8. Raises InputError for a lone surrogate, which UTF-8 cannot encode."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{text!a}: invalid character at position {error.start} (a lone surrogate)") from error


def term_of_rdflib(value: object) -> NamedNode | BlankNode | Literal | None:
    """Return the term of pyoxigraph for a term of rdflib, or None for any other value. This does not import rdflib.

    A literal keeps its lexical form. Raises InputError for a term that RDF does not allow, such as a relative IRI.
    """
    rdflib: Any = sys.modules.get("rdflib.term")
    if rdflib is None or not isinstance(value, getattr(rdflib, "Identifier", ())):
        return None
    try:
        if isinstance(value, rdflib.URIRef):
            return NamedNode(str(value))
        if isinstance(value, rdflib.BNode):
            return BlankNode(str(value))
        if isinstance(value, rdflib.Literal):
            return _literal(value)
    except ValueError as error:
        raise InputError(f"{value!r}: {error}") from error
    raise InputError(f"{value!r}: neither an IRI nor a blank node nor a literal")


def _literal(term: Any) -> Literal:
    """Return a literal of rdflib as a literal of pyoxigraph. Raises ValueError for a bad datatype or language tag."""
    if term.language:
        return literal_with_tag(str(term), term.language)
    if not term.datatype:
        return Literal(str(term))
    if str(term.datatype) in (f"{v.RDF}langString", f"{v.RDF}dirLangString"):
        raise ValueError(PROBLEM)
    return Literal(str(term), datatype=NamedNode(str(term.datatype)))


def _text_of_notation(text: str, place: str, prefixes: Prefixes) -> str:
    data = utf8(text)
    if len(data) > LONGEST:
        check_length(data)
    text = text.strip()
    if _N_TRIPLES["object"].fullmatch(text):
        return text
    if typed := _TYPED.fullmatch(text):
        return f"{typed[1]}{_text_of_notation(typed[2], 'datatype', prefixes)}"
    if text.startswith(("<", '"', "_:")):
        raise InputError(f"the {place} {text} is not a single term: {_BEGUN[text[0]]}")
    if text == "a" and place == "predicate":
        return v.RDF_TYPE
    name = _NAME.fullmatch(text)
    if name is None:
        raise InputError(f"the {place} {_shorten(text)!r} is not a term: {_hint(text, place)}")
    return _iri_of_name(name, prefixes)


def _hint(text: str, place: str) -> str:
    """Make the end of a message about a text that is not a term: how to write a term for this place."""
    word = text if _PLAIN.fullmatch(text) else "tom"
    ways = [f"an IRI as 'http://example.org/{word}'", f"a name with a prefix as 'ex:{word}'"]
    if place in ("subject", "object", "graph"):
        ways.append(f"a blank node as '_:{word}'")
    if place == "predicate":
        ways.append("rdf:type as 'a'")
    if place == "object":
        literal = str(Literal(_shorten(text)))
        ways.insert(0, f"a text in quotation marks as {literal!r}")
        if _NUMBER.fullmatch(text):
            ways.insert(0, f"a number as {text}, not as a text")
    return f"write {', '.join(ways[:-1])} or {ways[-1]}"


def _shorten(text: str) -> str:
    return shorten(text, _SHORT, placeholder="...") if len(text) > _SHORT else text


def _iri_of_name(name: re.Match[str], prefixes: Prefixes) -> str:
    """Return the IRI of a name with a prefix, or of a plain IRI. `name` is a match of `_NAME`."""
    text, prefix, local = name[0], name[1], name[2]
    is_iri = local.startswith("//")
    if is_iri and prefix in prefixes:
        raise InputError(f"{text}: may be an IRI, or a name with the prefix {prefix}; for the IRI write <{text}>")
    namespace = None if is_iri else prefixes.get(prefix, USUAL.get(prefix))
    if namespace is None and not is_iri and prefix.lower() not in SCHEMES:
        raise InputError(f"{text}: {undeclared_message(prefix, 'argument')}")
    iri = text if namespace is None else namespace + re.sub(r"\\(.)", r"\1", local)
    try:
        return str(NamedNode(iri))
    except ValueError as error:
        raise InputError(f"{text}: not an IRI: {error}") from error


def _literal_of_python(value: object) -> str | None:
    """Return a Python value as a literal, or None if XSD has no datatype for the value's type.

    Raises InputError for a value that the datatype does not have, such as an infinite decimal.
    """
    if isinstance(value, (bool, np.bool_)):
        return _typed_literal(str(bool(value)).lower(), "boolean")
    if isinstance(value, Integral):
        return _typed_literal(str(int(value)), "integer")
    if isinstance(value, (float, np.floating)):
        number = float(value)
        text = "NaN" if isnan(number) else "INF" if number > 0 else "-INF"
        return _typed_literal(text if isnan(number) or isinf(number) else repr(number), "double")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InputError(f"{value!r}: xsd:decimal has no such number")
        return _typed_literal(f"{value:f}", "decimal")
    if isinstance(value, datetime):
        offset = value.utcoffset()
        if offset is not None and offset.total_seconds() % 60:
            raise InputError(f"{value!r}: xsd:dateTime has no time zone of {offset}")
        return _typed_literal(value.isoformat(), "dateTime")
    return _typed_literal(value.isoformat(), "date") if isinstance(value, date) else None


def _typed_literal(text: str, datatype: str) -> str:
    return f'"{text}"^^<{v.XSD}{datatype}>'
