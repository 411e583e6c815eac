"""`format_rule`, `format_program`: rules as text, the inverse of `parse`.

Law: `parse(format_program(p)) == p`, if the constants of p are canonical N-Triples text and the grammar allows the
names of variables, relations and prefixes in p. A prefix abbreviates an IRI if the rest of the IRI is plain
(ASCII letters, digits, `_`, `-`). Numbers and booleans have no quotation marks; rdf:type as a predicate is `a`.

Cost: a few microseconds for an atom; each IRI is compared with every prefix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgreason.rules.expressions import is_constant, text_of
from kgreason.rules.model import DATA, FALSE, Aggregate, Atom, Computed, Not, Relation, Rule, Term, Variable
from kgreason.rules.program import Program, default_name
from kgreason.terms import vocabulary as v
from kgreason.terms.names import Names
from kgreason.terms.quoting import quote

WIDTH = 110
"""A rule that is not longer than this is written in one line."""
_PLAIN_NAME = re.compile(r"\w+(-\w+)*", re.ASCII)
_PLAIN_LOCAL = re.compile(r"\w[\w-]*", re.ASCII)
_SHORT = {
    v.XSD_INTEGER: re.compile(r"[+-]?[0-9]+"),
    v.XSD_DECIMAL: re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    v.XSD_DOUBLE: re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+"),
    v.XSD_BOOLEAN: re.compile(r"true|false"),
}


def format_program(program: Program) -> str:
    """Return the text of a program: `@prefix` lines, then the rules with their `@group` and `@rule` lines.

    The text is "" for a program without prefixes and rules.
    """
    prefixes = program.prefixes
    lines = [f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in prefixes.items()]
    group, declared = "", 0
    for number, rule in enumerate(program.rules, 1):
        declared += rule.declares is not None
        lines.append("")
        if rule.group != group:
            group = rule.group
            lines += [f"@group {format_name(group)} .", ""]
        if rule.name != default_name(number - declared) and not rule.declares:
            lines.append(f"@rule {format_name(rule.name)}")
        lines.append(format_rule(rule, prefixes))
    return "".join(f"{line}\n" for line in lines).lstrip("\n")


def format_rule(rule: Rule, prefixes: Mapping[str, str] | None = None) -> str:
    """Return the text `heads :- body .` of a rule, without its name and group.

    A short rule is on one line, a long one has a line for each atom.

    `prefixes` (prefix -> namespace) abbreviate IRIs.

    >>> from kgreason.rules.model import Variable, triple
    >>> format_rule(Rule((triple(Variable("x"), "<http://e/p>", '"1"@en'),), ()), {"": "http://e/"})
    '[?x, :p, "1"@en] .'
    """
    known = {} if prefixes is None else prefixes  # `Names` may have no prefix
    if rule.declares:
        return format_relation(rule.declares, known)
    heads, body = ([format_atom(atom, known) for atom in atoms] for atoms in (rule.heads, rule.body))
    body += [format_aggregate(aggregate, known) for aggregate in rule.aggregates]
    body += [format_computed(computed, known) for computed in rule.computed]
    body += [format_not(negated, known) for negated in rule.negated]
    line = ", ".join(heads) + (" :- " if body else "") + ", ".join(body) + " ."
    if len(line) <= WIDTH:
        return line
    return ",\n".join(heads) + (" :-\n    " if body else "") + ",\n    ".join(body) + " ."


def format_relation(relation: Relation, prefixes: Mapping[str, str]) -> str:
    """Return the text of a declaration: `@relation edge(from, to, weight: xsd:integer) key(from, to) .`."""
    columns = ", ".join(
        column.name if column.type is None else f"{column.name}: {_iri(column.type, prefixes)}"
        for column in relation.columns
    )
    kind = f"{relation.kind} " if relation.kind else ""
    key = f" key({', '.join(relation.columns[place].name for place in relation.key)})" if relation.key else ""
    return f"@relation {kind}{relation.name}({columns}){key} ."


def format_term(term: Term, prefixes: Mapping[str, str]) -> str:
    """Return the text of a variable or a constant in rule text. `prefixes` (prefix -> namespace) abbreviate IRIs.

    If `prefixes` are `Names`, the text of the constant is the one that they have for it.
    """
    if isinstance(term, Variable):
        return str(term)
    if isinstance(prefixes, Names) and (word := prefixes.word(term)) is not None:
        return word
    if term.startswith('"'):
        return _literal(term, prefixes)
    return _iri(term, prefixes) if term.startswith("<") and not term.startswith("<<") else term


def format_computed(computed: Computed, prefixes: Mapping[str, str]) -> str:
    """Return the text of a filter or assignment: `FILTER(expression)` or `BIND(expression AS ?x)`."""
    parts = (part for part in computed.parts if isinstance(part, str) and is_constant(part))
    return text_of(computed, {part: format_term(part, prefixes) for part in parts})


def format_aggregate(aggregate: Aggregate, prefixes: Mapping[str, str]) -> str:
    """Return the text of an aggregate: `AGGREGATE(atoms ON ?x BIND FUNCTION(?y) AS ?n)`."""
    inner = [format_atom(atom, prefixes) for atom in aggregate.atoms]
    inner += [format_computed(computed, prefixes) for computed in aggregate.computed]
    group = f" ON {', '.join(map(str, aggregate.group))}" if aggregate.group else ""
    return f"AGGREGATE({', '.join(inner)}{group} BIND {format_call(aggregate)} AS {aggregate.result})"


def format_call(aggregate: Aggregate) -> str:
    """Return only the call of an aggregate as text, such as `COUNT(DISTINCT ?y)`."""
    word = "DISTINCT " if aggregate.is_distinct else ""
    between = aggregate.separator
    separator = "" if between in (None, " ") else f"; SEPARATOR = {quote(str(between))}"
    return f"{aggregate.function}({word}{aggregate.argument or '*'}{separator})"


def format_not(negated: Not, prefixes: Mapping[str, str]) -> str:
    """Return the text of a NOT: `NOT atom`, `NOT EXISTS ?z IN (atoms, filters)`, or `NOT EXISTS (atoms, filters)`."""
    parts = [format_atom(atom, prefixes) for atom in negated.atoms]
    parts += [format_computed(computed, prefixes) for computed in negated.computed]
    named = [str(variable) for variable in negated.local if not variable.is_anonymous]
    if not named:
        return f"NOT {parts[0]}" if len(parts) == len(negated.atoms) == 1 else f"NOT EXISTS ({', '.join(parts)})"
    return f"NOT EXISTS {', '.join(named)} IN ({', '.join(parts)})"


def format_atom(atom: Atom, prefixes: Mapping[str, str]) -> str:
    """Return the text of an atom."""
    if atom == FALSE:
        return "false"
    terms = [format_term(term, prefixes) for term in atom.terms]
    if atom.relation not in (None, DATA):
        return f"{atom.relation}({', '.join(terms)})"
    if atom.terms[1] == v.RDF_TYPE:
        terms[1] = "a"
    return f"{'' if atom.relation is None else 'DATA '}[{', '.join(terms)}]"


def _iri(constant: str, prefixes: Mapping[str, str]) -> str:
    text = constant[1:-1]
    for prefix, namespace in prefixes.items():
        if text.startswith(namespace) and _PLAIN_LOCAL.fullmatch(text, len(namespace)):
            return f"{prefix}:{text[len(namespace) :]}"
    return constant


def _literal(constant: str, prefixes: Mapping[str, str]) -> str:
    string, mark, datatype = constant.rpartition("^^")
    if not mark or not datatype.startswith("<") or '"' in datatype:
        return constant
    short = _SHORT.get(datatype)
    if short and short.fullmatch(string, 1, len(string) - 1):
        return string[1:-1]
    return f"{string}^^{_iri(datatype, prefixes)}"


def format_name(name: str) -> str:
    """Return the name of a rule or group for rule text: in quotation marks, unless it is a plain word."""
    return name if _PLAIN_NAME.fullmatch(name) else quote(name)
