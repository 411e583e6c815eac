"""Validation results as HTML: from the JSON of a report, or of the answer of /what-if."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from kgreason.server.console.markup import link, plain_text, rule_text, term
from kgreason.server.console.vocabulary import Words

_SH = "<http://www.w3.org/ns/shacl#"
_SEVERITIES = {"Violation": "wrong", "Warning": "warning"}
_PATH = re.compile(r"<[^<>\s]+>")


def severity(found: dict[str, Any]) -> Markup:
    """Show the severity of a result: Violation, Warning, Info, or the IRI of another one."""
    name = found["severity"].removeprefix(_SH).rstrip(">")
    return Markup('<span class="badge {}">{}</span>').format(_SEVERITIES.get(name, "asserted"), name)


def result(found: dict[str, Any], words: Words, *, with_node: bool = False) -> Markup:
    """Show the severity of a result, its node, the path, what the result says, and the constraint component."""
    node = term(found["focus"], words) + Markup(" ") if with_node else Markup("")
    where = path(found["path"], words) + Markup(": ") if found["path"] else Markup("")
    name = found["component"].removeprefix(_SH).removesuffix("ConstraintComponent>")
    return Markup('<span class="said">{} <span class="fact">{}{}{}</span> <span class="mark">{}</span></span>').format(
        severity(found), node, where, rule_text(found["message"], words), rule_text(name, words)
    )


def path(text: str, words: Words) -> Markup:
    """Show a path: a predicate is a link, another path is text with short names."""
    return term(text, words) if _PATH.fullmatch(text) else Markup("{}").format(rule_text(text, words))


def shape(found: dict[str, Any], words: Words) -> Markup:
    """Show a shape, as a link to its results. One without an IRI has the name of its path, and of its parent."""
    name = found["shape"]
    if not name.startswith("_:"):
        return link(shape_address(name), plain_text(name, words), "term")
    where = rule_text(found["path"], words) if found["path"] else "a shape"
    parent = found["parent"]
    of = f" of {plain_text(parent, words)}" if parent and not parent.startswith("_:") else ""
    return link(shape_address(name), f"{where}{of}", "term")


def shape_address(name: str) -> str:
    """Return the address of the results of a shape."""
    return f"/console/shapes?{urlencode({'shape': name})}"
