"""Components that look at each value node alone (SHACL, 4.1, 4.3, 4.4, and sh:in).

A test that errs fails: `!COALESCE(test, false)`. Built-ins (`functions.shacl`) read literals as they are written, where
SPARQL would see their normal form. What belongs to a list is a fact, and terms are compared as terms.
"""

from __future__ import annotations

from kgreason.errors import ShapesError
from kgreason.functions.shacl import pattern_problem
from kgreason.shapes.components.counts import number
from kgreason.shapes.vocabulary import NONE, SH
from kgreason.shapes.writer import Writer
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote

_KINDS = {
    "IRI": "isIRI({0})",
    "BlankNode": "isBlank({0})",
    "Literal": "isLiteral({0})",
    "BlankNodeOrIRI": "isBlank({0}) || isIRI({0})",
    "BlankNodeOrLiteral": "isBlank({0}) || isLiteral({0})",
    "IRIOrLiteral": "isIRI({0}) || isLiteral({0})",
}
_COMPARISONS = {"minExclusive": ">", "minInclusive": ">=", "maxExclusive": "<", "maxInclusive": "<="}


def _require_test(writer: Writer, name: str, parameter: str, test: str) -> None:
    """A value node violates the component if `test` holds."""
    writer.violation(name, parameter, [*writer.values, test], value=writer.value)


def class_(writer: Writer, parameter: str) -> None:
    """Each value node is an instance of a class."""
    atoms = f"[{writer.value}, a, ?c], {writer.instances(parameter)}"
    _require_test(writer, "class", parameter, f"NOT EXISTS ?c IN ({atoms})")


def datatype(writer: Writer, parameter: str) -> None:
    """Each value node is a literal of a datatype, with a lexical form of this datatype."""
    _require_test(writer, "datatype", parameter, f"FILTER(shacl_unlike({writer.value}, {parameter}))")


def node_kind(writer: Writer, parameter: str) -> None:
    """Each value node is an IRI, a blank node or a literal."""
    kind = _KINDS.get(parameter.removeprefix(f"<{SH}").removesuffix(">"))
    if kind is None:
        raise ShapesError(f"{writer.node}: {parameter} is not a value of sh:nodeKind")
    _require_test(writer, "nodeKind", parameter, f"FILTER(!({kind.format(writer.value)}))")


def comparison(name: str, writer: Writer, parameter: str) -> None:
    """Each value node is above or below a literal; a value that cannot be compared with it is not."""
    test = f'shacl_uncompared({writer.value}, "{_COMPARISONS[name]}", {parameter})'
    _require_test(writer, name, parameter, f"FILTER({test})")


def min_length(writer: Writer, parameter: str) -> None:
    """Each value node has so many characters at least; a blank node has none."""
    _require_test(
        writer,
        "minLength",
        parameter,
        f"FILTER(shacl_shorter({writer.value}, {number(writer, 'minLength', parameter)}))",
    )


def max_length(writer: Writer, parameter: str) -> None:
    """Each value node has so many characters at most; a blank node has none."""
    _require_test(
        writer,
        "maxLength",
        parameter,
        f"FILTER(shacl_longer({writer.value}, {number(writer, 'maxLength', parameter)}))",
    )


def pattern(writer: Writer, parameter: str) -> None:
    """A part of each value node matches a regular expression of XPath. `sh:flags` belongs to it."""
    flags = writer.graph.one(writer.node, "flags") or quote("")
    if problem := pattern_problem(parameter, flags):
        raise ShapesError(f"{writer.node}: sh:pattern: {problem}")
    _require_test(writer, "pattern", parameter, f"FILTER(shacl_unmatched({writer.value}, {parameter}, {flags}))")


def language_in(writer: Writer, parameter: str) -> None:
    """Each value node has one of the languages of a list."""
    tests = [f"langMatches(lang({writer.value}), {tag})" for tag in writer.graph.members(parameter)]
    _require_test(writer, "languageIn", parameter, f"FILTER(!COALESCE({' || '.join(tests) or 'false'}, false))")


def in_(writer: Writer, parameter: str) -> None:
    """Each value node is a member of a list."""
    writer.members(parameter, writer.graph.members(parameter))
    _require_test(writer, "in", parameter, f"NOT shacl_member({parameter}, {writer.value})")


def has_value(writer: Writer, parameter: str) -> None:
    """One of the value nodes is a term."""
    if writer.path is None:
        writer.members(parameter, [parameter])
        writer.violation("hasValue", parameter, [f"NOT shacl_member({parameter}, ?x)"])
    else:
        writer.violation("hasValue", parameter, [f"NOT {writer.leads_to(parameter)}"])


def closed(writer: Writer, parameter: str) -> None:
    """A value node has no properties but those of sh:property, and the ignored ones."""
    if parameter != f'"true"^^{v.XSD_BOOLEAN}':
        return
    graph, node = writer.graph, writer.node
    below = graph.objects(node, f"<{SH}property>")
    allowed = [path for each in below for path in graph.objects(each, f"<{SH}path>") if path.startswith("<")]
    if (ignored := graph.one(node, "ignoredProperties")) is not None:
        allowed += graph.members(ignored)
    atoms = [*writer.values, f"[{writer.value}, ?p, ?o]"]
    if allowed:
        atoms.append(f"FILTER(?p NOT IN ({', '.join(sorted(set(allowed)))}))")
    holder = NONE if writer.path is None else writer.value  # two value nodes may have the same property
    writer.violation("closed", parameter, atoms, path="?p", value="?o", detail=holder)
