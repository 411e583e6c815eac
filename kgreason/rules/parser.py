"""`parse`, `load`, `ruleset`: read rule text as a `Program`.

The syntax of a file follows from its name: `.srl` is SPARQL-RL, `.rq` a SPARQL CONSTRUCT query (`rules.srl`). Any other
file is in our own language, `datalog`. That is RDFox's Datalog with n-ary atoms:

    @prefix : <http://example.org/> .
    @group family .
    @rule grandparent
    :grandparent[?x, ?z] :- :parent[?x, ?y], [?y, :parent, ?z] .      # both forms are triple patterns
    :Person[?x] :- [?x, :parent, ?y] .                                # [?x, a, :Person]
    reach(?x, ?z) :- reach(?x, ?y), edge(?y, ?z) .                    # a relation of any arity, apart from triples
    edge(1, 2) .                                                      # a rule with an empty body
    false :- [?x, :parent, ?x] .                                      # a contradiction
    @import "other.dl" .                                              # the rules of another file

`@rule NAME` names the next rule. `@group NAME .` puts all rules up to the next `@group` into a group; `@group "" .`
ends the group. A name with other characters than letters, digits, `_` and single hyphens needs quotation marks. Terms
are written as in Turtle; a blank node is a constant. Variables and constants may be in every place of a triple pattern
(generalised triples).

Invariant: `parse(format_program(p)) == p`. If a text has an error, an exception is raised and there is no program.
Cost: about 0.13 ms for a rule of three atoms; 0.15 s more for the first text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple

from kgreason.errors import InputError, RuleSyntaxError
from kgreason.functions.registry import Find, no_function
from kgreason.resources import prepared_value, resource
from kgreason.rules.model import Aggregate, Atom, Computed, Constant, Not, Rule, Term, Variable
from kgreason.rules.patterns import substitute
from kgreason.rules.program import Finder, Program
from kgreason.rules.relations.declarations import check_declared

Syntax = Literal["datalog", "srl", "rq"]
"""The language of a rule text: our own, SPARQL-RL, or a SPARQL CONSTRUCT query."""


def syntax_of(path: str | PathLike[str]) -> Syntax:
    """Return the syntax of a rule file, by its name.

    >>> syntax_of("family.srl")
    'srl'
    """
    endings: dict[str, Syntax] = {".srl": "srl", ".rq": "rq"}
    return endings.get(Path(path).suffix.lower(), "datalog")


def parse(
    text: str,
    source: str = "<text>",
    functions: Find | None = no_function,
    *,
    syntax: Syntax = "datalog",
    base: str | None = None,
    find: Finder | None = None,
) -> Program:
    """Parse a rule text in the language `syntax`. `source` is the name of the text in error messages.

    `functions` finds the Python functions that rules call. With None every call is accepted, as for rules of a store.
    `base` is the IRI of the text and `find` the catalogue for its IMPORTS; they matter for SPARQL-RL only.

    Raises RuleSyntaxError (with source, line, column, and the found and the expected text) and UnsafeRuleError.

    >>> parse("tc(?x, ?y) :- edge(?x, ?y) .").rules[0].name
    'rule-1'
    """
    _check_characters(text, source)
    if syntax == "datalog":
        from kgreason.rules.text.reader import read  # it imports lark, which many commands do not need

        return read(text, source, functions)
    return _sparql(text, source, syntax, _Context(functions, base, find))


def _check_characters(text: str, source: str) -> None:
    """Raise RuleSyntaxError if a text has half of a character (a lone surrogate), which no file can have."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line, column = text.count("\n", 0, error.start) + 1, error.start - text.rfind("\n", 0, error.start)
        raise RuleSyntaxError(source, line, column, "invalid character (a lone surrogate)") from error


class _Context(NamedTuple):
    """The arguments of `parse` that `_sparql` needs, and the file of the text (`path`; None if it is from no file)."""

    functions: Find | None
    base: str | None
    find: Finder | None
    path: Path | None = None


def _sparql(text: str, source: str, syntax: Syntax, context: _Context) -> Program:
    """Parse a rule set of SPARQL-RL (`syntax` "srl") or a CONSTRUCT query ("rq"). See `parse` for the arguments."""
    from kgreason.rules.srl.imports import Imports
    from kgreason.rules.srl.names import Names
    from kgreason.rules.srl.queries import read_query
    from kgreason.rules.srl.reader import read

    names = Names(text, source, context.base, context.functions, is_rule_set=syntax == "srl")
    if syntax == "rq":
        return read_query(names)

    def imported(file: Path, iri: str) -> tuple[Rule, ...]:
        found = read(Names(text_of_file(file), str(file), iri, context.functions), imports.rules).rules
        return tuple(replace(rule, line=0) for rule in found)  # `Rule.file` will be the file that imports them

    imports = Imports(context.find, imported, context.path)
    return read(names, imports.rules)


def negation_of(fact: Atom) -> Not:
    """Turn a hidden fact of `lowering.is_absence` into the NOT that it decides, with values in place of variables.

    >>> from kgreason.rules.formatter import format_not
    >>> format_not(negation_of(Atom("NOT p(?v0, ?v0)", ("<http://e/a>",))), {})
    'NOT p(<http://e/a>, <http://e/a>)'
    """
    from kgreason.rules.text.reader import read_not

    negated = read_not(str(fact.relation))
    values: dict[Term, Term] = dict(zip(negated.outer_variables(), fact.terms, strict=True))
    atoms = (Atom(atom.relation, tuple(values.get(term, term) for term in atom.terms)) for atom in negated.atoms)
    filters = (
        each._replace(
            parts=tuple(values.get(part, part) if isinstance(part, Variable) else part for part in each.parts)
        )
        for each in negated.computed
    )
    return negated._replace(atoms=tuple(atoms), computed=tuple(filters))


def expression_and_values(fact: Atom) -> tuple[Computed, dict[Variable, Term]]:
    """Turn a hidden fact with the result of an expression (`lowering.is_expression_result`) into this expression.

    Returns the expression, and a dict with the values of its variables, the result included.

    >>> expression, values = expression_and_values(Atom("BIND(?v0 + 1 AS ?v1)", ('"7"', '"8"')))
    >>> expression.result, values
    (Variable(name='v1'), {Variable(name='v0'): '"7"', Variable(name='v1'): '"8"'})
    """
    from kgreason.rules.text.reader import read_computed

    found = read_computed(str(fact.relation))
    variables = (*found.inputs(), *([found.result] if found.result else ()))
    return found, dict(zip(variables, fact.terms, strict=True))


def aggregate_of(fact: Atom) -> Aggregate:
    """Return the aggregate whose value a hidden fact says (`lowering.is_aggregate_value`)."""
    from kgreason.rules.text.reader import read_aggregate

    return read_aggregate(str(fact.relation))


def aggregate_and_value(fact: Atom) -> tuple[Aggregate, Constant]:
    """Turn a hidden fact with an aggregate's value (`lowering.is_aggregate_value`) into the aggregate and this value.

    The aggregate has the terms of the fact in place of its group's variables, and no group.

    >>> fact = Atom("AGGREGATE(p(?v0, ?v1) ON ?v0 BIND COUNT(?v1) AS ?v2)", ("<http://e/a>", '"3"'))
    >>> found, value = aggregate_and_value(fact)
    >>> found.atoms, value
    ((Atom(relation='p', terms=('<http://e/a>', Variable(name='v1'))),), '"3"')
    """
    found = aggregate_of(fact)
    *group, value = fact.terms
    values: dict[Variable, Term] = dict(zip(found.group, group, strict=True))
    atoms = tuple(substitute(atom, values) for atom in found.atoms)
    computed = (
        each._replace(
            parts=tuple(values.get(part, part) if isinstance(part, Variable) else part for part in each.parts)
        )
        for each in found.computed
    )
    return found._replace(atoms=atoms, computed=tuple(computed), group=()), str(value)


def load(path: str | Path, functions: Find | None = no_function, find: Finder | None = None) -> Program:
    """Parse a file with rule text in UTF-8. The ending of the file's name decides the syntax, see `syntax_of`.

    `functions` and `find` are as for `parse`.
    Raises InputError if the file cannot be read, and the errors of `parse`.
    """
    return _load(path, functions, find, {Path(path).resolve()})


def load_all(paths: Iterable[Path], functions: Find | None = no_function) -> Program:
    """Parse files, which may declare relations and prefixes for each other. Each rule has its file as `Rule.file`.

    Errors as for `load`; RuleError also for a rule that does not fit a declaration of another file.
    """
    rules: list[Rule] = []
    prefixes: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        found = load(path, functions)
        rules += [replace(rule, file=str(path)) for rule in found.rules]
        prefixes |= found.prefixes
    check_declared(rules, functions)
    return Program(tuple(rules), prefixes)


def _load(path: str | Path, functions: Find | None, find: Finder | None, seen: set[Path]) -> Program:
    """Do the work of `load`. `seen` are the files that were read already; each file is imported once."""
    text, syntax, file = text_of_file(path), syntax_of(path), Path(path).resolve()
    if syntax != "datalog":
        return _sparql(text, str(path), syntax, _Context(functions, file.as_uri(), find, file))
    from kgreason.rules.text.reader import read  # it imports lark, which many commands do not need

    def imported(name: str) -> tuple[Rule, ...]:
        other = Path(path).parent / name
        if other.resolve() in seen:
            return ()
        seen.add(other.resolve())
        found = _load(other, functions, find, seen).rules
        return tuple(replace(rule, line=0) for rule in found)  # `Rule.file` will be the file that imports them

    return read(text, str(path), functions, imported)


def text_of_file(path: str | PathLike[str]) -> str:
    """Return the text of a file of rules. Raises InputError."""
    try:
        return Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from error


def rules_of_file(
    path: str | Path, functions: Find | None = no_function, find: Finder | None = None
) -> tuple[Rule, ...]:
    """Return the rules of a file and of its imports, with `path` as `Rule.file`. Arguments and errors as for `load`."""
    return tuple(replace(rule, file=str(path)) for rule in load(path, functions, find).rules)


@cache
def ruleset(name: str) -> Program:
    """Return the program `rulesets/NAME.dl`, which is shipped with kgreason.

    Raises InputError for an unknown name; the message has the names that exist.
    """
    path = resource("rulesets", f"{name}.dl")
    found: Program | None = prepared_value(name, text_of_file(path))
    return load(path) if found is None else found
