"""The message for a prefix that is not declared. It names the prefix, and says how to declare a prefix at that place.

    the prefix ex: is not declared; pass prefixes={'ex': 'http://example.org/'}

Law: `undeclared` makes every message about such a prefix, so that all of them have the same words. The messages name
arguments of Python functions. The command line replaces these by its own options (`cli.advice`).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kgreason.terms import vocabulary as v

Where: TypeAlias = Literal["argument", "query", "update", "text", "rules", "srl", "file", "script"]
"""Where a name with the prefix stands: an argument, a SPARQL text, Turtle text, rules (SPARQL-RL: srl), an RDF file, or
a script of `kgreason run`."""

USUAL = {"rdf": v.RDF, "rdfs": v.RDFS, "owl": v.OWL, "xsd": v.XSD}
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


def undeclared(prefix: str, where: Where) -> str:
    """Return the message for a prefix that is not declared.

    `prefix` is the prefix without its colon. `where` says where it is used.

    >>> undeclared("ex", "rules")
    'the prefix ex: is not declared; write @prefix ex: <http://example.org/> . before the rule'
    """
    advice = _ADVICE[where].format(name=prefix, iri=USUAL.get(prefix, _EXAMPLE))
    return f"the prefix {prefix}: is not declared; {advice}"
