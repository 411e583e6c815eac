"""`read`: turn the statements of a rule text into a `Program`.

It resolves prefixes, writes constants as N-Triples text, and checks every rule.

    statement      effect
    @prefix        valid for all statements after it
    @group         valid for all rules up to the next @group
    @relation      appended as a rule that declares a relation; checked in all rules after it
    @import        the rules of the other file are appended; its prefixes and groups are not valid here
    rule           appended; a rule without a name is named after its position

The first error is raised, with its position: an unknown prefix, a wrong constant, `false` in a wrong place, an unsafe
rule.

Cost: a dictionary look-up for each term that occurred before; nearly all terms did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, NoReturn, TypeAlias

from lark import Token

from kgreason.errors import InputError, RuleSyntaxError, UnsafeRuleError
from kgreason.functions.registry import Find
from kgreason.interrupts import let_out
from kgreason.rules.expressions import (
    AGGREGATES,
    RESERVED,
    in_order_of_use,
    problem_of,
    problem_of_aggregate,
    with_constants,
)
from kgreason.rules.model import (
    DATA,
    FALSE,
    RELATION_KINDS,
    Aggregate,
    Atom,
    Column,
    Computed,
    Constant,
    Not,
    Relation,
    Rule,
    Term,
    Variable,
    anonymous_variable,
)
from kgreason.rules.program import Program, default_name
from kgreason.rules.relations.declarations import impossible_variable, misfit
from kgreason.rules.safety import bound_terms, check_safe
from kgreason.rules.text.mistakes import misuse
from kgreason.rules.text.syntax import (
    AggregateText,
    AtomText,
    Clause,
    ComputedText,
    GroupLine,
    ImportLine,
    Literal,
    LiteralText,
    Node,
    NotText,
    PrefixLine,
    RelationLine,
    ResultText,
    statements,
)
from kgreason.terms import quoting
from kgreason.terms.prefixes import USUAL, Where, undeclared_message
from kgreason.terms.vocabulary import RDF_TYPE, XSD_BOOLEAN

Imported: TypeAlias = Callable[[str], tuple[Rule, ...]]
"""Gives the rules of a file from its name in an @import."""
_AS_WRITTEN = frozenset(["NUMBER", "TRUE", "FALSE", "IDENTIFIER", "OPERATOR", "COMMA", "OPEN", "CLOSE"])
_TWICE = "?_ is one variable, also where it stands twice; write _ where nobody reads the value, else another name"
_ANONYMOUS_HEAD = "_ cannot stand in the head, which needs a value: write a variable of the body"
_RESERVED = "false is reserved for contradictions: it must be the only head of its rule and has no terms"


def read(text: str, source: str, find: Find | None, imported: Imported | None = None) -> Program:
    """Read a rule text. Raises RuleSyntaxError and UnsafeRuleError; their messages name `source`.

    `find` finds the Python functions that rules call; with None every call is accepted. `imported` gives the rules of a
    file that the text imports; None if the text is from no file.
    """
    reader = _Reader(text, source, find)
    for statement in statements(text, source):
        let_out()
        match statement:
            case Clause():
                reader.rule(statement)
            case PrefixLine():
                reader.prefix(statement)
            case GroupLine():
                reader.group(statement)
            case RelationLine():
                reader.relation(statement)
            case ImportLine():
                reader.imports(statement, imported)
    return Program(tuple(reader.rules), reader.prefixes)


def read_atom(atom: AtomText, prefixes: Mapping[str, str], source: str) -> Atom:
    """Read an atom of a command in the script `source`. `prefixes` are the prefixes that the script declares.

    Raises RuleSyntaxError.
    """
    reader = _Reader("", source, where="script")
    reader.prefixes |= prefixes
    return reader.atom(atom)


def read_computed(text: str) -> Computed:
    """Return the `Computed` for a text such as `FILTER(?x > 5)` or `BIND(?x + 1 AS ?y)`."""
    reader, literal = _single_element(text)
    assert isinstance(literal, ComputedText)
    return reader.computation(literal)


def read_not(text: str) -> Not:
    """Return the `Not` for a text such as `NOT p(?x)`.

    IRIs in the text must be in angle brackets, because no prefix is declared.
    """
    reader, literal = _single_element(text)
    assert isinstance(literal, NotText)
    return reader.negation(literal)


def read_aggregate(text: str) -> Aggregate:
    """Return the aggregate of a text such as `AGGREGATE(p(?x, ?y) ON ?x BIND COUNT(?y) AS ?n)`."""
    reader, literal = _single_element(text)
    assert isinstance(literal, AggregateText)
    (found,) = reader.aggregates(literal)
    return found


def _single_element(text: str) -> tuple[_Reader, LiteralText]:
    """Parse a text that is one element of a rule's body, such as a NOT.

    Returns a `_Reader` and the parsed element. The reader's methods turn the element into a value such as a `Not`.
    """
    rule = f"false :- {text} ."
    (clause,) = statements(rule, "<rules>")
    assert isinstance(clause, Clause)
    (literal,) = clause.body
    return _Reader(rule, "<rules>"), literal


class _Reader:
    """Reads a rule text. Keeps the rules so far, and the prefixes and the group for the next statement."""

    def __init__(self, text: str, source: str, find: Find | None = None, where: Where = "rules") -> None:
        self.text, self.source, self._find, self._where = text, source, find, where
        self.rules: list[Rule] = []
        self.prefixes: dict[str, str] = {}
        self._group = ""
        self._name_of_rule = ""  # of the rule that is being read
        self._terms: dict[str, Term] = {}  # terms by the text of their tokens; valid for the present prefixes
        self._anonymous = 0  # how many `_` of the present rule have been read

    def prefix(self, line: PrefixLine) -> None:
        self.prefixes[line.name[:-1]] = self._constant(line.iri)[1:-1]
        self._terms.clear()

    def group(self, line: GroupLine) -> None:
        self._group = self._name(line.name)

    def imports(self, line: ImportLine, imported: Imported | None) -> None:
        """Append the rules of another file. Raises RuleSyntaxError if there is no such file, or no file at all."""
        if imported is None:
            self._fail(line.file, "only a file can import another file: load this text from a file")
        try:
            name = quoting.unquote(line.file)
            found = imported(name)
        except ValueError as error:
            self._fail(line.file, str(error))
        except InputError as error:
            if isinstance(error, RuleSyntaxError | UnsafeRuleError):
                raise
            self._fail(line.file, str(error))
        self.rules += found

    def relation(self, line: RelationLine) -> None:
        """Append the declaration of a relation to the rules.

        Raises RuleSyntaxError for a repeated name, and for an unknown kind or column.
        """
        if line.kind is not None and line.kind not in RELATION_KINDS:
            self._fail(line.kind, f"{line.kind} is no kind of relation; the kinds are {', '.join(RELATION_KINDS)}")
        if line.word is not None and line.word != "key":
            self._fail(line.word, f"found '{line.word}', expected key or '.'")
        if line.name.value in (rule.declares.name for rule in self.rules if rule.declares):
            self._fail(line.name, f"{line.name} is declared already")
        columns: dict[str, Column] = {}
        for each in line.columns:
            name = each.name.removesuffix(":")
            if name in columns:
                self._fail(each.name, f"two columns of {line.name} have the name {name}")
            columns[name] = Column(name, None if each.type is None else self._type(each.type))
        key = []
        for token in line.key:
            if token.value not in columns:
                self._fail(token, f"{line.name} has no column {token}; its columns are {', '.join(columns)}")
            key.append(list(columns).index(token.value))
        kind = "" if line.kind is None else str(line.kind)
        declared = Relation(line.name.value, tuple(columns.values()), tuple(sorted(set(key))), kind)
        self.rules.append(Rule((), (), declared.name, self._group, declares=declared))

    def _type(self, token: Token) -> Constant:
        """Return the constant for the type of a column. Usual prefixes such as xsd need no declaration here."""
        prefix, _, local = token.partition(":")
        if token.type == "NAME_WITH_PREFIX" and prefix in USUAL and prefix not in self.prefixes:
            return f"<{USUAL[prefix]}{local}>"
        return self._constant(token)

    def rule(self, clause: Clause) -> None:
        number = 1 + sum(rule.declares is None for rule in self.rules)
        name = self._name_of_rule = default_name(number) if clause.name is None else self._name(clause.name)
        aggregated = [literal for literal in clause.body if isinstance(literal, AggregateText)]
        inner = [literal for aggregate in aggregated for literal in aggregate.literals]
        self._anonymous = 0
        self._check_words(clause.heads, [*clause.body, *inner])
        if self._find and "?_" in self.text:
            self._check_written_once(clause)
        positive = [atom for atom in clause.body if isinstance(atom, AtomText)]
        negated = [literal for literal in clause.body if isinstance(literal, NotText)]
        computed = [literal for literal in clause.body if isinstance(literal, ComputedText)]
        rule = Rule(
            tuple(map(self.atom, clause.heads)),
            tuple(map(self.atom, positive)),
            name,
            self._group,
            aggregates=tuple(chain.from_iterable(map(self.aggregates, aggregated))),  # each `_` in the order of texts
            negated=tuple(map(self.negation, negated)),
            line=clause.heads[0].start.line or 0,
        )
        if computed:
            rule = replace(rule, computed=in_order_of_use(bound_terms(rule), map(self.computation, computed)))
        try:
            check_safe(rule)
        except UnsafeRuleError as error:
            start = clause.heads[0].start
            raise UnsafeRuleError(f"{self.source}:{start.line}:{start.column}: {error}") from None
        self._check_declared(clause, rule)
        self.rules.append(rule)

    def _check_declared(self, clause: Clause, rule: Rule) -> None:
        """Raise RuleSyntaxError if `rule`, which `clause` is the text of, does not fit a declaration of a relation.

        Only declarations before the rule count.
        """
        known = {each.declares.name: each.declares for each in self.rules if each.declares}
        for written in _atoms(clause) if known else ():
            relation = known.get(str(written.relation))
            if relation is None or written.terms is None:
                continue
            terms = map(self._term, written.terms)
            places = [None if isinstance(term, Variable) else term for term in terms]
            is_derived = bool(clause.body) and any(written is head for head in clause.heads)
            if problem := misfit(relation, places, is_derived=is_derived):
                self._refuse(written.start, problem)
        if problem := impossible_variable(rule, known, self._find):
            self._refuse(clause.heads[0].start, problem)

    def _check_words(self, heads: list[AtomText], body: list[LiteralText]) -> None:
        """Raise RuleSyntaxError for `false` in a wrong place, and for a relation named by a word of the language."""
        for atom in heads:
            if atom.terms is None and len(heads) > 1:
                self._fail(atom.start, _RESERVED)
            if atom.relation in ("FILTER", "BIND", "AGGREGATE", DATA):
                self._fail(atom.start, str(misuse(atom.start, in_head=True)))
            for term in atom.terms or ():
                if isinstance(term, Token) and term.type == "ANONYMOUS":
                    self._refuse(term, _ANONYMOUS_HEAD)
        for literal in body:
            for atom in _atoms_of(literal):
                if atom.terms is None:
                    self._fail(atom.start, _RESERVED)
                if (
                    atom.relation
                    and atom.relation.isupper()
                    and (problem := misuse(atom.relation, under_not=isinstance(literal, NotText)))
                ):
                    self._fail(atom.start, problem)

    def _check_written_once(self, clause: Clause) -> None:
        """Raise RuleSyntaxError if `?_` stands twice in a rule: its author may have meant two variables.

        Rules that a store has are not checked.
        """
        written = [token for token in _tokens((clause.heads, clause.body)) if token.value == "?_"]
        if len(written) > 1:
            self._refuse(written[1], _TWICE)

    def atom(self, atom: AtomText) -> Atom:
        """Turn the text of an atom into an `Atom`, with constants in place of tokens."""
        if atom.start.type == DATA:
            if atom.terms is None or atom.relation is not None:
                self._fail(atom.start, str(misuse(DATA)))
            return Atom(DATA, tuple(map(self._term, atom.terms)))
        if atom.terms is None:
            return FALSE
        if atom.relation is None:
            return Atom(None, tuple(map(self._term, atom.terms)))
        if atom.relation == FALSE.relation:
            self._fail(atom.relation, _RESERVED)
        return Atom(atom.relation.value, tuple(map(self._term, atom.terms)))

    def negation(self, negated: NotText) -> Not:
        local = dict.fromkeys(Variable(token.value[1:]) for token in negated.variables)
        atoms = tuple(map(self.atom, _atoms_of(negated)))
        filters = tuple([self.computation(each) for each in negated.conditions if isinstance(each, ComputedText)])
        variables = [term for atom in atoms for term in atom.terms if isinstance(term, Variable)]
        local |= dict.fromkeys([variable for variable in variables if variable.is_anonymous])
        return Not(atoms, tuple(local), filters)

    def computation(self, computed: ComputedText) -> Computed:
        parts = tuple(map(self._part, computed.parts))
        result = None if computed.result is None else Variable(computed.result.value[1:])
        found = Computed(parts, result)
        first, last = _tokens(computed.parts[0])[0], _tokens(computed.parts[-1])[-1]
        if problem := problem_of(found, self.text[first.start_pos : last.end_pos], self._find):
            place = computed.start if problem.part is None else _tokens(computed.parts[problem.part])[0]
            self._refuse(place, problem.words)
        return found._replace(parts=with_constants(parts))

    def aggregates(self, written: AggregateText) -> Iterator[Aggregate]:
        """Yield an aggregate for each BIND of the text `AGGREGATE(atoms ON ?x BIND ... BIND ...)`."""
        for literal in written.literals:
            if isinstance(literal, NotText | AggregateText):
                word = "NOT" if isinstance(literal, NotText) else "AGGREGATE"
                self._refuse(
                    literal.start,
                    f"{word} cannot stand inside AGGREGATE: write a rule with the {word} for a relation of its own, "
                    "and aggregate the relation",
                )
        inner = [self.computation(literal) for literal in written.literals if isinstance(literal, ComputedText)]
        group = tuple(dict.fromkeys(Variable(token.value[1:]) for token in written.variables))
        for result in written.results:
            name = str(result.function.value)
            name = name.upper() if name.upper() in AGGREGATES else name
            if problem := problem_of_aggregate(name, self._find):
                self._refuse(result.function, problem)
            argument, computed = self._argument(name, result)
            atoms = tuple(self.atom(literal) for literal in written.literals if isinstance(literal, AtomText))
            yield Aggregate(
                atoms,
                in_order_of_use({term for atom in atoms for term in atom.terms}, (*inner, *computed)),
                group,
                name,
                argument,
                Variable(result.result.value[1:]),
                result.distinct is not None,
                self._separator(name, result),
            )

    def _argument(self, name: str, result: ResultText) -> tuple[Variable | None, tuple[Computed, ...]]:
        """Return the variable that an aggregate reads, and the assignment that computes this variable, if any.

        `name` is the name of the aggregate. For COUNT(*) the variable is None. There is an assignment only if the
        aggregate reads an expression, as in `SUM(?x * ?y)`.
        """
        (first, *others) = result.parts
        if not others and isinstance(first, Token):
            if first.type == "VARIABLE":
                return Variable(first.value[1:]), ()
            if first.value == "*":
                if name != "COUNT" or result.distinct:
                    self._fail(first, "* is for COUNT(*) alone: name the variable that is aggregated")
                return None, ()
        argument = Variable(f"{result.result.value[1:]}_argument")
        computed = self.computation(ComputedText(result.start, result.parts))
        return argument, (computed._replace(result=argument),)

    def _separator(self, name: str, result: ResultText) -> str | None:
        if result.separator is None:
            return " " if name == "GROUP_CONCAT" else None
        if name != "GROUP_CONCAT":
            self._fail(result.separator, f"SEPARATOR is for GROUP_CONCAT, not for {name}")
        try:
            return quoting.unquote(result.separator)
        except ValueError as error:
            self._fail(result.separator, str(error))

    def _part(self, node: Node) -> Variable | str:
        """Turn an element of an expression into a variable or a text.

        IRIs, names with prefixes and literals in quotation marks become constants. Numbers and operators stay as they
        are written. Reserved words become capitals, except `true` and `false`, which become small letters. Names of
        Python functions stay as they are written.
        """
        if isinstance(node, Token) and node.type in _AS_WRITTEN:
            if node.type != "IDENTIFIER":
                return str(node.value)
            word = str(node.value)
            if word.lower() in ("true", "false"):
                return word.lower()
            return word.upper() if word.upper() in RESERVED else word
        return self._term(node)

    def _term(self, node: Node) -> Term:
        if not isinstance(node, Token):
            return self._constant(node)
        if node.type == "ANONYMOUS":
            self._anonymous += 1
            return anonymous_variable(self._anonymous)
        term = self._terms.get(node.value)
        if term is None:
            term = Variable(node.value[1:]) if node.type == "VARIABLE" else self._constant(node)
            self._terms[node.value] = term
        return term

    def _constant(self, node: Node) -> Constant:
        if isinstance(node, Literal):
            return self._literal(node)
        if isinstance(node, Token):
            return self._simple(node)
        return f"<<( {' '.join(map(self._constant, node))} )>>"

    def _literal(self, literal: Literal) -> Constant:
        datatype = self._constant(literal.datatype) if literal.datatype else None
        try:
            if literal.language:
                return quoting.tagged_constant(literal.string, literal.language)
            return quoting.typed_constant(literal.string, datatype)
        except ValueError as error:
            self._fail(literal.string, str(error))

    def _simple(self, token: Token) -> Constant:
        match token.type:
            case "A":
                return RDF_TYPE
            case "BLANK":
                return str(token)
            case "NUMBER":
                return quoting.number(token.value)
            case "TRUE" | "FALSE":
                return f'"{token}"^^{XSD_BOOLEAN}'
            case _:
                return self._iri(token)

    def _iri(self, token: Token) -> Constant:
        text = token.value
        if token.type == "NAME_WITH_PREFIX":
            prefix, _, local = token.partition(":")
            if prefix not in self.prefixes:
                self._fail(token, undeclared_message(prefix, self._where))
            text = f"<{self.prefixes[prefix]}{quoting.local_name(local)}>"
        try:
            return quoting.iri(text)
        except ValueError as error:
            self._fail(token, str(error))

    def _name(self, token: Token) -> str:
        if token.type == "NAME":
            return str(token)
        try:
            return quoting.unquote(token)
        except ValueError as error:
            self._fail(token, str(error))

    def _refuse(self, token: Token, problem: str) -> NoReturn:
        """Raise RuleSyntaxError for what is wrong at `token` in the present rule, with the name of the rule."""
        self._fail(token, f"rule {self._name_of_rule}: {problem}" if self._name_of_rule else problem)

    def _fail(self, token: Token, problem: str) -> NoReturn:
        raise RuleSyntaxError(self.source, token.line, token.column, problem)


def _atoms(clause: Clause) -> Iterator[AtomText]:
    """Yield every atom of a rule, also those under NOT and inside AGGREGATE."""
    yield from clause.heads
    for literal in clause.body:
        for part in literal.literals if isinstance(literal, AggregateText) else [literal]:
            yield from _atoms_of(part)


def _atoms_of(literal: LiteralText) -> list[AtomText]:
    """Return a literal that is an atom, or the atoms under a NOT; none for a filter and for AGGREGATE."""
    parts = literal.conditions if isinstance(literal, NotText) else [literal]
    return [part for part in parts if isinstance(part, AtomText)]


def _tokens(node: Any) -> list[Token]:
    """Return the tokens in a part of the parsed text, in the order in which they occur."""
    return [node] if isinstance(node, Token) else [token for part in node if part for token in _tokens(part)]
