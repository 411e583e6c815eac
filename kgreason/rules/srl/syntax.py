"""Parse the text of a SPARQL-RL rule set, or of a CONSTRUCT query, into statements of tokens with their places.

    text -> [BaseLine | PrefixLine | ImportsLine | RuleText | DataText, ...]

lark parses the text with `grammar.lark` (LALR, contextual lexer), and `_Builder` makes the statements, so that no tree
is built. `reader` resolves names and expands the abbreviations of triples. Messages use the words of SPARQL-RL, never
the names of the grammar.

Cost: importing lark and building its tables takes about 0.2 s, once.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, TypeAlias, cast

from lark import Lark, Token, UnexpectedInput

from kgreason.errors import RuleSyntaxError
from kgreason.grammars import parser_of
from kgreason.rules.srl.mistakes import hint
from kgreason.rules.text.syntax import Literal, PartsBuilder
from kgreason.rules.unexpected_text import Words, terminal_words, unexpected_at


class TripleTerm(NamedTuple):
    """The text of a triple term, `<<( s p o )>>`."""

    start: Token
    subject: Node
    predicate: Verb
    object: Node


class Path(NamedTuple):
    """A path such as `:p/^:q`. A step is a property or a path, with True if it is followed backwards (`^`)."""

    start: Token
    steps: tuple[tuple[Verb, bool], ...]


class Reified(NamedTuple):
    """The text `<< s p o ~r >>` for a node that reifies a triple. `reifier` is this node, or None without a name."""

    start: Token
    subject: Node
    predicate: Verb
    object: Node
    reifier: Node | None


class Collection(NamedTuple):
    """The text of an RDF list, `(a b c)`; `()` is rdf:nil."""

    start: Token
    items: tuple[Node, ...]


class Anonymous(NamedTuple):
    """The text of a blank node, `[]` or `[ properties ]`."""

    start: Token
    properties: Properties = ()


class Annotation(NamedTuple):
    """The text of an annotation, `{| ... |}`: properties of a node that reifies the triple before the annotation."""

    properties: Properties


class Annotated(NamedTuple):
    """An object, and the reifiers and annotations that the text has after the object (`notes`).

    For `~r` a note is the node r, for a `~` alone it is this token, and for `{| ... |}` an `Annotation`.
    """

    node: Node
    notes: tuple[Node | Annotation, ...] = ()


Verb: TypeAlias = Token | Path
Node: TypeAlias = Token | Literal | TripleTerm | Reified | Collection | Anonymous
Properties: TypeAlias = "tuple[tuple[Verb, tuple[Annotated, ...]], ...]"


class Triples(NamedTuple):
    """A subject with its properties, as in `?x :p :a ; :q :b`."""

    subject: Node
    properties: Properties


class FilterText(NamedTuple):
    """The text of a FILTER: the tokens of its expression."""

    start: Token
    parts: list[Any]


class AssignmentText(NamedTuple):
    """The text of an assignment, `SET(?result := expression)` or `BIND(expression AS ?result)`."""

    start: Token
    result: Token
    parts: list[Any]


class NotText(NamedTuple):
    """The text `NOT { elements }`, or in a query `FILTER NOT EXISTS { elements }`. `is_data` is for `NOT DATA`."""

    start: Token
    elements: list[Element]
    is_data: bool = False


Element: TypeAlias = Triples | FilterText | AssignmentText | NotText


class RuleText(NamedTuple):
    """The text of a rule, `RULE name { head } WHERE { body }`. `is_data` says that it has `WHERE DATA`."""

    start: Token
    name: Token | None
    head: list[Triples]
    body: list[Element]
    is_data: bool = False


class DataText(NamedTuple):
    """The text of a block `DATA { triples }`."""

    start: Token
    triples: list[Triples]


class BaseLine(NamedTuple):
    """A line `BASE <iri>`."""

    iri: Token


class PrefixLine(NamedTuple):
    """A line `PREFIX p: <iri>`. The name includes the colon."""

    name: Token
    iri: Token


class VersionLine(NamedTuple):
    """A line `VERSION "1.2"`."""

    version: Token


class ImportsLine(NamedTuple):
    """A line `IMPORTS <iri>`."""

    start: Token
    iri: Token


Statement: TypeAlias = BaseLine | PrefixLine | VersionLine | ImportsLine | RuleText | DataText


def rule_set(text: str, source: str) -> list[Statement]:
    """Return the statements of a rule set, in order.

    Raises RuleSyntaxError; its message names `source` and the position.
    """
    return _parse("rule_set", text, source)


def query(text: str, source: str) -> list[Statement]:
    """Return the statements of a CONSTRUCT query: its declarations, then the query itself as a rule.

    Raises RuleSyntaxError; its message names `source` and the position.
    """
    return _parse("query", text, source)


def _parse(start: str, text: str, source: str) -> list[Statement]:
    try:
        return cast("list[Statement]", _grammar(start).parse(text))
    except UnexpectedInput as error:
        line, column, what = unexpected_at(error, text)
        expected = cast(Any, error).interactive_parser.accepts()
        is_query = start == "query"
        words = terminal_words(expected, _WORDS)
        if is_query:
            words = words.replace("FILTER, NOT or SET", "FILTER or BIND")
        meant = hint(text, cast(int, error.pos_in_stream), expected, is_query=is_query)
        problem = meant or f"found {what}, expected {words}"
        raise RuleSyntaxError(source, line, column, problem) from None


@functools.cache
def _grammar(start: str) -> Lark:
    return parser_of(__file__, start=start, keep_all_tokens=True, transformer=_Builder())


class _Builder(PartsBuilder):
    """Makes statements. The parser calls a method for each part of the text; the grammar (`->`) names the method.

    The argument `parts` of a method is the list of everything inside this part of the text, punctuation included.
    """

    def second(self, parts: list[Any]) -> Any:
        return parts[1]

    def same(self, parts: list[Any]) -> Any:
        return parts[0]

    def pair(self, parts: list[Any]) -> tuple[Any, tuple[Any, ...]]:
        return parts[0], tuple(parts[1])

    # statements

    def base(self, parts: list[Token]) -> BaseLine:
        return BaseLine(parts[1])

    def prefix(self, parts: list[Token]) -> PrefixLine:
        return PrefixLine(parts[1], parts[2])

    def version(self, parts: list[Token]) -> VersionLine:
        return VersionLine(parts[1])

    def imports(self, parts: list[Token]) -> ImportsLine:
        return ImportsLine(parts[0], parts[1])

    def rule(self, parts: list[Any]) -> RuleText:
        return RuleText(parts[0], None, parts[1], parts[-1])

    def named_rule(self, parts: list[Any]) -> RuleText:
        return RuleText(parts[0], parts[1], parts[2], parts[-1])

    def data_rule(self, parts: list[Any]) -> RuleText:
        return self.rule(parts)._replace(is_data=True)

    def named_data_rule(self, parts: list[Any]) -> RuleText:
        return self.named_rule(parts)._replace(is_data=True)

    def data(self, parts: list[Any]) -> DataText:
        return DataText(parts[0], parts[1])

    def construct(self, parts: list[Any]) -> list[Statement]:
        return [*parts[0], RuleText(parts[1], None, parts[2], parts[-1])]

    construct_without_where = construct

    def construct_where(self, parts: list[Any]) -> list[Statement]:
        return [*parts[0], RuleText(parts[1], None, parts[-1], list(parts[-1]))]

    # elements of a body

    def filter(self, parts: list[Any]) -> FilterText:
        return FilterText(parts[0], parts[1])

    def negation(self, parts: list[Any]) -> NotText:
        return NotText(parts[0], parts[1])

    def data_negation(self, parts: list[Any]) -> NotText:
        return NotText(parts[0], parts[2], is_data=True)

    def not_exists(self, parts: list[Any]) -> NotText:
        return NotText(parts[0], parts[3])

    def assignment(self, parts: list[Any]) -> AssignmentText:
        return AssignmentText(parts[0], parts[2], parts[4])

    def bind(self, parts: list[Any]) -> AssignmentText:
        return AssignmentText(parts[0], parts[4], parts[2])

    # triples

    def triples(self, parts: list[Any]) -> Triples:
        return Triples(parts[0], tuple(parts[1]))

    def alone(self, parts: list[Any]) -> Triples:
        return Triples(parts[0], ())

    def plain_object(self, parts: list[Any]) -> Annotated:
        return Annotated(parts[0])

    def reifier(self, parts: list[Any]) -> Annotated:
        return Annotated(parts[0].node, (*parts[0].notes, parts[-1]))

    def annotation(self, parts: list[Any]) -> Annotated:
        return Annotated(parts[0].node, (*parts[0].notes, Annotation(tuple(parts[2]))))

    def blank_properties(self, parts: list[Any]) -> Anonymous:
        return Anonymous(parts[0], tuple(parts[1]))

    def anonymous(self, parts: list[Token]) -> Anonymous:
        return Anonymous(parts[0])

    def collection(self, parts: list[Any]) -> Collection:
        return Collection(parts[0], tuple(parts[1]))

    def empty_collection(self, parts: list[Token]) -> Collection:
        return Collection(parts[0], ())

    def reified(self, parts: list[Any]) -> Reified:
        start, subject, predicate, object_, *rest = parts
        return Reified(start, subject, predicate, object_, rest[1] if len(rest) == 3 else None)

    def triple_term(self, parts: list[Any]) -> TripleTerm:
        return TripleTerm(*parts[:4])

    def path_sequence(self, parts: list[Any]) -> Path:
        steps = (parts[0], False), (parts[2], False)
        return Path(_first_token(parts[0]), steps)

    def path_inverse(self, parts: list[Any]) -> Path:
        return Path(parts[0], ((parts[1], True),))

    # terms and expressions

    def in_brackets(self, parts: list[Any]) -> list[Any]:
        return cast("list[Any]", parts[1])

    def call(self, parts: list[Any]) -> list[Any]:
        return [parts[0], *self.brackets(parts[1:])]

    def triple_call(self, parts: list[Any]) -> list[Any]:
        """Turn `<<( s p o )>>` in an expression into the tokens of `TRIPLE(s, p, o)`."""
        start, *terms, end = parts
        signs = [Token.new_borrow_pos(*sign, start) for sign in (("IDENTIFIER", "TRIPLE"), ("OPEN", "("))]
        commas = [Token.new_borrow_pos("COMMA", ",", start)] * 2
        one, two, three = map(self.parts, ([term] for term in terms))
        return [*signs, *one, commas[0], *two, commas[1], *three, Token.new_borrow_pos("CLOSE", ")", end)]


def _first_token(verb: Verb) -> Token:
    return verb if isinstance(verb, Token) else verb.start


# The words of error messages for sets of terminals.
_IRI = frozenset(["IRI", "NAME_WITH_PREFIX"])
_DECLARATION = frozenset(["BASE", "PREFIX", "VERSION"])
_STRING = frozenset(["SHORT_STRING", "LONG_STRING"])
_LITERAL = _STRING | {"NUMBER", "TRUE", "FALSE"}
_TERM = _IRI | _LITERAL | {"VARIABLE", "BLANK", "LEFT", "TRIPLE_OPEN"}
_NODE = _TERM | {"OPEN", "REIFIED_OPEN"}
_WORDS: Words = (
    (_DECLARATION | {"IMPORTS", "RULE", "DATA"}, "RULE, DATA or a declaration (PREFIX, BASE, IMPORTS, VERSION)"),
    (_DECLARATION | {"CONSTRUCT"}, "CONSTRUCT or a declaration (PREFIX, BASE)"),
    (_IRI | _LITERAL | {"VARIABLE", "IDENTIFIER", "OPERATOR", "COMMA", "OPEN", "TRIPLE_OPEN"}, "an expression"),
    (_NODE | {"FILTER", "NOT", "SET", "BIND"}, "a triple, FILTER, NOT or SET"),
    (frozenset(["FILTER", "NOT", "SET", "BIND"]), "FILTER, NOT or SET"),
    (_NODE, "a term"),
    (_TERM | {"REIFIED_OPEN"}, "a term"),
    (_TERM, "a term"),
    (_IRI | {"VARIABLE", "A", "CARET", "OPEN"}, "a property"),
    (_IRI | {"VARIABLE", "BLANK", "LEFT"}, "a name, a variable or a blank node"),
    (_IRI | {"A", "CARET", "OPEN"}, "a property"),
    (_IRI | {"A", "OPEN"}, "a property"),
    (_IRI | {"IDENTIFIER", "OPEN"}, "an expression in brackets, or a function"),
    (_STRING, "a string"),
    (frozenset(["SHORT_STRING"]), "a string"),
    (_IRI, "an IRI"),
    (frozenset(["IRI"]), "an IRI in angle brackets"),
    (frozenset(["NAMESPACE"]), "a prefix with its colon"),
    (frozenset(["VARIABLE"]), "a variable"),
    (frozenset(["WHERE"]), "WHERE"),
    (frozenset(["DATA"]), "DATA"),
    (frozenset(["EXISTS"]), "EXISTS"),
    (frozenset(["AS"]), "AS"),
    (frozenset(["ASSIGN"]), "':='"),
    (frozenset(["LEFT_BRACE"]), "'{'"),
    (frozenset(["RIGHT_BRACE"]), "'}'"),
    (frozenset(["DOT"]), "'.'"),
    (frozenset(["SEMICOLON"]), "';'"),
    (frozenset(["COMMA"]), "','"),
    (frozenset(["OPEN"]), "'('"),
    (frozenset(["CLOSE"]), "')'"),
    (frozenset(["RIGHT"]), "']'"),
    (frozenset(["ANNOTATION_CLOSE"]), "'|}'"),
    (frozenset(["TRIPLE_CLOSE"]), "')>>'"),
    (frozenset(["REIFIED_CLOSE"]), "'>>'"),
)
