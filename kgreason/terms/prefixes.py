"""Prefixes that need no declaration, those that a graph remembers, and the message for one that is not declared.

    the prefix ex: is not declared; pass prefixes={'ex': 'http://example.org/'}

Law: `undeclared_message` makes every message about such a prefix, so that all of them have the same words. The messages
name arguments of Python functions. The command line replaces these by its own options (`cli.advice`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from kgreason.terms import vocabulary as v

Where: TypeAlias = Literal["argument", "query", "update", "text", "rules", "srl", "file", "script"]
"""Where a name with the prefix stands: an argument, a SPARQL text, Turtle text, rules (SPARQL-RL: srl), an RDF file, or
a script of `kgreason run`."""

USUAL = {"rdf": v.RDF, "rdfs": v.RDFS, "owl": v.OWL, "xsd": v.XSD}
SCHEMES = frozenset({"data", "did", "file", "info", "mailto", "tag", "tel", "urn"})
"""The schemes of IRIs that need no angle brackets, besides those with `//`."""
MOST_REMEMBERED = 1_000
_LONGEST = 1_000
_FIRST = (
    r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    r"\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_OTHER = _FIRST + r"0-9_\-\u00b7\u0300-\u036f\u203f-\u2040"
_NAME = re.compile(rf"(?:[{_FIRST}](?:[{_OTHER}.]*[{_OTHER}])?)?")
"""PN_PREFIX of Turtle and SPARQL. XML and JSON-LD have more, such as `_x` and `1x`."""
_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*")
_EXAMPLE = "http://example.org/"
_ADVICE: dict[Where, str] = {
    "argument": "pass prefixes={{{name!r}: {iri!r}}}",
    "query": "begin the query with PREFIX {name}: <{iri}>, or pass prefixes={{{name!r}: {iri!r}}}",
    "update": "begin the update with PREFIX {name}: <{iri}>, or pass prefixes={{{name!r}: {iri!r}}}",
    "text": "begin the text with @prefix {name}: <{iri}> . or pass prefixes={{{name!r}: {iri!r}}}",
    "rules": "write @prefix {name}: <{iri}> . before the rule",
    "srl": "write PREFIX {name}: <{iri}> before the rule",
    "file": "write @prefix {name}: <{iri}> . at the beginning of the file",
    "script": "write prefix {name}: <{iri}>; before the command",
}


def undeclared_message(prefix: str, where: Where) -> str:
    """Return the message for a prefix that is not declared.

    `prefix` is the prefix without its colon. `where` says where it is used.

    >>> undeclared_message("ex", "rules")
    'the prefix ex: is not declared; write @prefix ex: <http://example.org/> . before the rule'
    """
    advice = _ADVICE[where].format(name=prefix, iri=USUAL.get(prefix, _EXAMPLE))
    return f"the prefix {prefix}: is not declared; {advice}"


def declarations(prefixes: Mapping[str, str]) -> str:
    """Return the declarations of prefixes, as a query or an update begins with them.

    >>> declarations({"ex": "http://e/"})
    'PREFIX ex: <http://e/> '
    """
    return "".join([f"PREFIX {prefix}: <{namespace}> " for prefix, namespace in prefixes.items()])


def prefixes_to_remember(known: Mapping[str, str], found: Mapping[str, str]) -> dict[str, str]:
    """Return those prefixes of `found` that a graph remembers, if it has the prefixes `known` already.

    The first declaration of a prefix wins. A prefix that needs no declaration, or that is a scheme of IRIs, is left
    out, so that no term gets another meaning. A graph remembers `MOST_REMEMBERED` prefixes.

    >>> found = {"ex": "http://other/", "zoo": "http://zoo/", "rdf": "http://e/", "urn": "e:"}
    >>> prefixes_to_remember({"ex": "http://e/"}, found)
    {'zoo': 'http://zoo/'}
    """
    fresh: dict[str, str] = {}
    for prefix, namespace in found.items():
        is_taken = prefix in known or prefix in USUAL or prefix.lower() in SCHEMES | {"http", "https"}
        if is_taken or len(prefix) + len(namespace) > _LONGEST or len(known) + len(fresh) >= MOST_REMEMBERED:
            continue
        if _NAME.fullmatch(prefix) and _NAMESPACE.fullmatch(namespace):
            fresh[prefix] = namespace
    return fresh
