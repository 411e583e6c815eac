"""The words of SHACL as N-Triples text, and the relations that its rules use.

    shacl_shape(s, p, o)      a triple of the shapes graph; the only relation whose facts are asserted
    shacl_result(...)         a validation result; see `COLUMNS`
    shacl_focus(s, x)         x is validated against the shape s
    shacl_target(s, x)        x is a target of s, if other shapes have s validate nodes as well
    shacl_reported(s, x, via) what x violates of s is a result, by the route `via` through the shapes above s
    shacl_violation(...)      what x violates of s, if s both reports and is asked by other shapes
    shacl_fails(s, x)         x does not conform to s; only for shapes that other shapes ask
    shacl_class(c, d)         d is c or a class below c; only for classes c that a shape names
    shacl_path(p, x, y)       the path p leads from x to y; only for starts x that `shacl_start(p, x)` has
    shacl_qualifies(s, x, y)  the value node y of x conforms to the sh:qualifiedValueShape of s
    shacl_language(s, x, y, l)  the value node y of x has the language l
    shacl_member(l, x)        x is a member of the list l of the shapes graph
    shacl_rows(q, ...)        a row of the relation q that a query needs; each number of columns is a relation
    shacl_value(e, x, y)      y is a value of the expression e for the node x
    shacl_runs(r, x)          the rule r of the shapes graph runs for the node x
    shacl_made(k, s, p, o)    a rule of the order k makes a triple
    shacl_seen(k, s, p, o)    a triple that rules of the order k see, where they or later ones may make such triples

What rules of the order k ask has its own relations, such as shacl_fails_at1: the data is then that of the order.

Results stay out of the triples of a graph: no query sees a fact of these relations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgreason.errors import RuleError
from kgreason.rules.model import Column, Relation, Rule, label
from kgreason.terms import vocabulary as v

SH = "http://www.w3.org/ns/shacl#"
TRUE = f'"true"^^{v.XSD_BOOLEAN}'
NONE = "<urn:kgreason:none>"
"""The term of a result that has no value, detail or path."""
SHAPE, RESULT, ROWS = "shacl_shape", "shacl_result", "shacl_rows"
FOCUS = "shacl_focus"
COLUMNS = ("shape", "component", "parameter", "focus", "path", "value", "detail", "severity", "via")
"""The places of a result.

- `parameter`: the value of the component's parameter, such as the class of sh:class. A shape may have two of them.
- `path`: the predicate of the shape, or the one that sh:closed does not allow; for another path its text, a string.
- `detail`: what tells two results about one value apart: the other value of sh:lessThan, the language of sh:uniqueLang,
  the value node of sh:closed.
- `severity`: that of the shape.
- `via`: the shape whose target the node is, or a blank node for the route if sh:property leads through value nodes.
"""
SOURCE = "shapes graph"
"""The `file` of the rules that come from the shapes graph."""
_INTERNAL = {
    "shacl_focus": ("shape", "node"),
    "shacl_target": ("shape", "node"),
    "shacl_reported": ("shape", "node", "via"),
    "shacl_violation": COLUMNS[:-1],
    "shacl_fails": ("shape", "node"),
    "shacl_class": ("class", "below"),
    "shacl_start": ("path", "node"),
    "shacl_path": ("path", "node", "value"),
    "shacl_qualifies": ("shape", "node", "value"),
    "shacl_language": ("shape", "node", "value", "language"),
    "shacl_member": ("list", "member"),
    "shacl_value": ("expression", "node", "value"),
    "shacl_runs": ("rule", "node"),
    "shacl_made": ("order", "subject", "predicate", "object"),
    "shacl_seen": ("order", "subject", "predicate", "object"),
}


_OF_QUERIES = re.compile(rf"{ROWS}\d|shacl_\w+_at\d")


def sh(name: str) -> str:
    """Return a term of SHACL's namespace.

    >>> sh("class")
    '<http://www.w3.org/ns/shacl#class>'
    """
    return f"<{SH}{name}>"


def rows(*terms: str) -> str:
    """Return an atom of rows. The first term tells the query, and the relation has the number of terms in its name.

    >>> rows('"query 1"', "?x")
    'shacl_rows2("query 1", ?x)'
    """
    return f"{ROWS}{len(terms)}({', '.join(terms)})"


def declarations(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the declarations of the relations: deltas and dumps have shapes and results, and nothing between them.

    `rules` are the rules of a shapes graph, for the relations that only some of them have.
    """
    kinds = [(SHAPE, ("subject", "predicate", "object"), "input"), (RESULT, COLUMNS, "derived")]
    kinds += [(name, columns, "internal") for name, columns in _INTERNAL.items()]
    known = {name for name, _, _ in kinds}
    sizes = {(str(head.relation), len(head.terms)) for rule in rules for head in rule.heads if head.relation}
    kinds += [
        (name, tuple(f"column{place}" for place in range(1, size + 1)), "internal")
        for name, size in sorted(sizes)
        if name not in known
    ]
    return tuple(
        Rule((), (), name=name, file=SOURCE, declares=Relation(name, tuple(map(Column, columns)), (), kind))
        for name, columns, kind in kinds
    )


def check_heads(rules: Iterable[Rule]) -> None:
    """Raise RuleError if a rule that is not the shapes graph's derives what only shapes derive."""
    reserved = {SHAPE, RESULT, *_INTERNAL}
    for rule in rules:
        heads = {str(head.relation) for head in rule.heads} if rule.file != SOURCE else set()
        if names := {name for name in heads if name in reserved or _OF_QUERIES.match(name)}:
            raise RuleError(f"{label(rule)}: only the shapes graph derives facts of {min(names)}")
