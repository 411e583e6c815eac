"""Parse rule text into statements. Statements consist of tokens, each with its line and column.

    text -> [PrefixLine | GroupLine | ImportLine | RelationLine | Clause, ...]

lark parses the text with `grammar.lark` (LALR, contextual lexer). Each reduction calls a callback of `_Builder`, so
that no tree is built. `reader` resolves prefixes and checks where a term is allowed. Error messages use the words of
the rule language, never the names of the grammar.

Cost: importing lark and building its tables takes about 0.15 s, once; so `parse` imports this module only when it first
runs. After that, a token takes 4 microseconds, and a rule of three atoms about 100.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, TypeAlias, cast

from lark import Lark, Token, Transformer, UnexpectedInput, UnexpectedToken

from kgreason.errors import RuleSyntaxError
from kgreason.grammars import parser_of
from kgreason.interrupts import let_out
from kgreason.rules.text.mistakes import hint
from kgreason.rules.unexpected_text import terminal_words, unexpected_at


class Literal(NamedTuple):
    """A quoted string, with its language tag or its datatype. A part that the text does not have is None."""

    string: Token
    language: Token | None = None
    datatype: Token | None = None


class TripleTerm(NamedTuple):
    """The text of a triple term, `<<( s p o )>>`."""

    subject: Node
    predicate: Node
    object: Node


Node: TypeAlias = Token | Literal | TripleTerm


class AtomText(NamedTuple):
    """The text of an atom. `relation` is None for a triple pattern; `terms` is None for the contradiction `false`.

    `start` is the first token, which is DATA if the atom stands after DATA.
    """

    start: Token
    relation: Token | None
    terms: tuple[Node, ...] | None


class NotText(NamedTuple):
    """The text `NOT atom` or `NOT EXISTS variables IN (conditions)`. `start` is the token NOT."""

    start: Token
    variables: list[Token]
    conditions: list[AtomText | ComputedText]


class ComputedText(NamedTuple):
    """The text `FILTER(parts)` or `BIND(parts AS result)`. `start` is the token FILTER or BIND."""

    start: Token
    parts: list[Node]
    result: Token | None = None


class ResultText(NamedTuple):
    """The text `BIND FUNCTION(DISTINCT parts; SEPARATOR = "text") AS result`. A part that is not written is None."""

    start: Token
    function: Token
    distinct: Token | None
    parts: list[Node]
    separator: Token | None
    result: Token


class AggregateText(NamedTuple):
    """The text `AGGREGATE(literals ON variables results)`. `start` is the token AGGREGATE."""

    start: Token
    literals: list[LiteralText]
    variables: list[Token]
    results: list[ResultText]


LiteralText: TypeAlias = AtomText | NotText | ComputedText | AggregateText


class Clause(NamedTuple):
    """The text of a rule. `name` is None if there is no `@rule` line before the rule."""

    heads: list[AtomText]
    body: list[LiteralText]
    name: Token | None = None


class PrefixLine(NamedTuple):
    """A line `@prefix p: <iri> .` The name includes the colon."""

    name: Token
    iri: Token


class GroupLine(NamedTuple):
    """A line `@group NAME .`, which puts the rules that follow into a group."""

    name: Token


class ImportLine(NamedTuple):
    """A line `@import "FILE" .`: the rules of another file belong to this one."""

    file: Token


class ColumnText(NamedTuple):
    """The text of a column in `@relation`. The name includes a colon if a type follows."""

    name: Token
    type: Token | None = None


class RelationLine(NamedTuple):
    """A line `@relation kind name(columns) key(names) .` Parts that are not written are None or empty.

    `word` is the token in the place of `key`; the parser accepts any name there.
    """

    name: Token
    columns: list[ColumnText]
    kind: Token | None = None
    word: Token | None = None
    key: tuple[Token, ...] = ()


Statement: TypeAlias = PrefixLine | GroupLine | ImportLine | RelationLine | Clause


def statements(text: str, source: str) -> list[Statement]:
    """Return the statements of a rule text, in order.

    Raises RuleSyntaxError; its message names `source` and the position.
    """
    try:
        return cast("list[Statement]", _grammar().parse(text))
    except UnexpectedInput as error:
        line, column, what = unexpected_at(error, text)
        expected = cast(Any, error).interactive_parser.accepts()
        meant = hint(text, _index(error, text), expected, _unfinished_tokens(error))
        if meant is None:
            words = terminal_words(
                expected - {"DATA", "ANONYMOUS"}, _WORDS
            )  # wherever they may, an atom or a variable may
            raise RuleSyntaxError(source, line, column, f"found {what}, expected {words}") from None
        line, column = text.count("\n", 0, meant.at) + 1, meant.at - text.rfind("\n", 0, meant.at)
        raise RuleSyntaxError(source, line, column, meant.words) from None


def _index(error: UnexpectedInput, text: str) -> int:
    """Return the index in `text` at which the parser found what it did not expect.

    If this is the end of the text, return the end of the last word.
    """
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return len(text.rstrip())
    return cast(int, error.pos_in_stream)


def _unfinished_tokens(error: UnexpectedInput) -> list[Token]:
    """Return the tokens before the error that the parser has not put into an atom or another part yet.

    For example, these are the name of a relation and its open bracket.
    """
    stack = cast(Any, error).interactive_parser.parser_state.value_stack
    return [token for token in stack if isinstance(token, Token)]


@functools.cache
def _grammar() -> Lark:
    return parser_of(__file__, start="program", keep_all_tokens=True, transformer=_Builder())


class _Parts(Transformer[Token, Any]):
    """The methods that the builders of all rule languages share: lists, literals, and the tokens of expressions.

    A list of statements or atoms may be long, so parsing can be ended (`let_out`) at each of them.
    """

    def nothing(self, _: list[Any]) -> list[Any]:
        return []

    def first(self, parts: list[Any]) -> list[Any]:
        return parts

    def append(self, parts: list[Any]) -> list[Any]:
        let_out()
        parts[0].append(parts[1])
        return cast("list[Any]", parts[0])

    def append_after_sign(self, parts: list[Any]) -> list[Any]:
        parts[0].append(parts[2])
        return cast("list[Any]", parts[0])

    def plain(self, parts: list[Token]) -> Literal:
        return Literal(parts[0])

    def tagged(self, parts: list[Token]) -> Literal:
        return Literal(parts[0], language=parts[1])

    def typed(self, parts: list[Token]) -> Literal:
        return Literal(parts[0], datatype=parts[2])

    def parts(self, parts: list[Any]) -> list[Any]:
        return parts[0] if isinstance(parts[0], list) else parts

    def more_parts(self, parts: list[Any]) -> list[Any]:
        parts[0] += self.parts(parts[1:])  # a new list for each part would take a time that grows with the square
        return cast("list[Any]", parts[0])

    def brackets(self, parts: list[Any]) -> list[Any]:
        return [parts[0], *(parts[1] if len(parts) == 3 else ()), parts[-1]]


class _Builder(_Parts):
    """Makes statements. The parser calls a method for each part of the text; the grammar (`->`) names the method.

    The argument `parts` of a method has all that this part of the text consists of, punctuation included.
    """

    def prefix(self, parts: list[Token]) -> PrefixLine:
        return PrefixLine(parts[1], parts[2])

    def group(self, parts: list[Token]) -> GroupLine:
        return GroupLine(parts[1])

    def imported(self, parts: list[Token]) -> ImportLine:
        return ImportLine(parts[1])

    def column(self, parts: list[Token]) -> ColumnText:
        return ColumnText(*parts)

    def declaration(self, parts: list[Any]) -> RelationLine:
        name, _, columns, _, *key, _ = parts[1:]
        return RelationLine(name, columns, None, *((key[0], tuple(key[2])) if key else ()))

    def declaration_of_kind(self, parts: list[Any]) -> RelationLine:
        return self.declaration(parts[1:])._replace(kind=parts[1])

    def named(self, parts: list[Any]) -> Clause:
        return cast(Clause, parts[2])._replace(name=parts[1])

    def fact(self, parts: list[Any]) -> Clause:
        return Clause(parts[0], [])

    def rule(self, parts: list[Any]) -> Clause:
        return Clause(parts[0], parts[2])

    def negated(self, parts: list[Any]) -> NotText:
        return NotText(parts[0], [], [parts[1]])

    def none(self, parts: list[Any]) -> NotText:
        return NotText(parts[0], parts[2], [parts[4]] if isinstance(parts[4], AtomText) else parts[5])

    def none_without_variables(self, parts: list[Any]) -> NotText:
        return NotText(parts[0], [], parts[3])

    def data(self, parts: list[Any]) -> AtomText:
        return cast(AtomText, parts[1])._replace(start=parts[0])

    def filter(self, parts: list[Any]) -> ComputedText:
        return ComputedText(parts[0], parts[2])

    def bind(self, parts: list[Any]) -> ComputedText:
        return ComputedText(parts[0], parts[2], parts[4])

    def aggregate(self, parts: list[Any]) -> AggregateText:
        return AggregateText(parts[0], parts[2], parts[4] if len(parts) == 7 else [], parts[-2])

    def result(self, parts: list[Any]) -> ResultText:
        start, function, _, *inner, _, _, result = parts
        distinct = inner.pop(0) if isinstance(inner[0], Token) else None
        return ResultText(start, function, distinct, inner[0], inner[1] if len(inner) > 1 else None, result)

    def separator(self, parts: list[Token]) -> Token:
        return parts[3]

    def triple(self, parts: list[Any]) -> AtomText:
        return AtomText(parts[0], None, (parts[1], parts[3], parts[5]))

    def member(self, parts: list[Any]) -> AtomText:
        return AtomText(parts[0], None, (parts[2], Token("A", "a"), parts[0]))

    def property(self, parts: list[Any]) -> AtomText:
        return AtomText(parts[0], None, (parts[2], parts[0], parts[4]))

    def proposition(self, parts: list[Any]) -> AtomText:
        return AtomText(parts[0], parts[0], ())

    def relation(self, parts: list[Any]) -> AtomText:
        return AtomText(parts[0], parts[0], tuple(parts[2]))

    def contradiction(self, parts: list[Token]) -> AtomText:
        return AtomText(parts[0], parts[0], None)

    def triple_term(self, parts: list[Any]) -> TripleTerm:
        return TripleTerm(parts[1], parts[2], parts[3])


class PartsBuilder(_Parts):
    """The methods of `_Parts`, for the grammar of another rule language (`rules.srl`)."""


class Builder(_Builder):
    """The methods of `_Builder`, for the grammar of another language that contains atoms of rules (`cli.script`)."""


# The words of error messages for sets of terminals.
_IRI = {"IRI", "NAME_WITH_PREFIX"}
_GROUND = _IRI | {"BLANK", "NUMBER", "STRING", "TRUE", "FALSE", "TRIPLE_OPEN"}
_ATOM = _IRI | {"LEFT", "IDENTIFIER", "FALSE"}
_WORDS = (
    (
        _ATOM | {"AT_RULE", "AT_GROUP", "AT_IMPORT", "AT_PREFIX", "PREFIX", "AT_RELATION"},
        "a rule or a directive (@prefix, @group, @rule, @relation, @import)",
    ),
    ({"IDENTIFIER", "NAMESPACE"}, "the name of a column"),
    ({"IDENTIFIER", "NAMESPACE", "CLOSE"}, "the name of a column"),
    ({"IDENTIFIER", "NAMESPACE", "CLOSE", "COMMA"}, "the name of a column"),
    (_ATOM | {"NOT", "FILTER", "BIND", "AGGREGATE"}, "an atom, NOT, FILTER, BIND or AGGREGATE"),
    (_GROUND - {"BLANK", "TRIPLE_OPEN"} | {"VARIABLE", "IDENTIFIER", "OPERATOR", "COMMA", "OPEN"}, "an expression"),
    (_ATOM | {"EXISTS"}, "an atom or EXISTS"),
    (_ATOM | {"OPEN"}, "an atom or '('"),
    (_ATOM, "an atom"),
    ({"VARIABLE"}, "a variable"),
    (_GROUND, "a constant"),
    ({"NAME", "STRING"}, "a name"),
    (_IRI, "an IRI"),
    ({"IRI"}, "an IRI in angle brackets"),
    ({"NAMESPACE"}, "a prefix with its colon"),
    ({"LEFT"}, "'['"),
    ({"OPEN"}, "'('"),
    ({"COMMA"}, "','"),
    ({"IN"}, "IN"),
    ({"ON"}, "ON"),
    ({"BINDS"}, "BIND"),
    ({"DISTINCT"}, "DISTINCT"),
    ({"SEMICOLON"}, "';'"),
    ({"SEPARATOR"}, "SEPARATOR"),
    ({"AS"}, "AS"),
    ({"RIGHT"}, "']'"),
    ({"CLOSE"}, "')'"),
    ({"TRIPLE_CLOSE"}, "')>>'"),
    ({"IF"}, "':-'"),
    ({"DOT"}, "'.'"),
    ({"IDENTIFIER"}, "a name"),
)
