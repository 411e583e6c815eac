"""Parse a script into commands, line by line: a command is given as soon as its semicolon is read.

    insert edge(1, 2), delete edge(2, 3);     edits; a comma or a semicolon ends an edit
    modify price("tea") <- price(amount = 6); the values of a key, and new values by column
    commit dump_changes;                      a word, and what belongs to it
    query path(1, ?y);                        a word and an atom

So a program can write a command into a pipe, and read the answer before it writes the next command. Law: no token has a
line break.

Cost: importing lark and building its tables takes 0.1 s; after that, an edit of three terms takes about 0.1 ms.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lark import Lark, Token, UnexpectedInput
from lark.lexer import LexerThread

from kgreason.cli.script.failure import ScriptError
from kgreason.grammars import parser_of
from kgreason.rules.text import syntax as rules
from kgreason.rules.text.syntax import AtomText, Builder
from kgreason.rules.unexpected_text import terminal_words, unexpected_at


class Edit(NamedTuple):
    """`insert atom`, `delete atom`, `upsert atom`, `delete_key key`, `modify key <- ...` or `clear name`.

    - `word`: the first word of the edit.
    - `target`: for `clear` the name of a relation, otherwise an atom. A key is an atom with the values of key columns.
    - `new_values`: for `modify`, the name of the relation after `<-`, and pairs (column, new value); otherwise None.
    """

    word: Token
    target: AtomText | Token
    new_values: tuple[Token, list[tuple[Token, Any]]] | None = None


class Command(NamedTuple):
    """A command: either edits, or its first word and what is between this word and the semicolon.

    `arguments` is empty for edits, and `edits` for other commands. For edits, `word` is the word of the first edit.
    """

    word: Token
    arguments: tuple[Any, ...] = ()
    edits: tuple[Edit, ...] = ()


def commands(lines: Iterable[str], source: str) -> Iterator[Command]:
    """Yield the commands of a script, each as soon as the line with its end is read.

    Raises ScriptError, which tells the place of the mistake in `source`.
    """
    parser = _new_parser()
    lexer, begun, number = parser.lexer_thread.lexer, None, 0
    for number, line in enumerate(lines, 1):
        text: Any = LexerThread.from_text(lexer, line)
        text.state.line_ctr.line = number
        ended = True
        while ended:
            try:
                ended, begun = _feed(parser, text, begun)
            except UnexpectedInput as error:
                raise _syntax_error(error, parser, line, source) from None
            if ended:
                yield parser.feed_eof()
                parser = _new_parser()
    if begun is not None:
        words = terminal_words(parser.accepts(), _WORDS)
        problem = f"the command does not end: found the end of the script, expected {words}"
        raise ScriptError(source, begun.line or number, begun.column or 1, problem)


def _new_parser() -> Any:
    """Make a parser of Lark that takes one command token by token.

    The result is Any, because Lark's methods have no types.
    """
    return _grammar().parse_interactive("")


def _feed(parser: Any, text: Any, begun: Token | None) -> tuple[bool, Token | None]:
    """Feed the parser the tokens of a line up to the next semicolon.

    `begun` is the first token of the command, or None if the command has no token yet.

    Returns whether there was a semicolon. The second result is None after a semicolon, otherwise the first token of the
    command (None if there is no token yet).
    """
    for token in text.lex(parser.parser_state):
        parser.feed_token(token)
        if token.type == "SEMICOLON":
            return True, None
        begun = begun or token
    return False, begun


def _syntax_error(error: UnexpectedInput, parser: Any, line: str, source: str) -> ScriptError:
    where = unexpected_at(error, line)
    return ScriptError(
        source, where.line, where.column, f"found {where.words}, expected {terminal_words(parser.accepts(), _WORDS)}"
    )


@functools.cache
def _grammar() -> Lark:
    return parser_of(__file__, rules.__file__, start="command", keep_all_tokens=True, transformer=_Builder())


class _Builder(Builder):
    """Makes commands from the parts that the parser finds. Atoms are made as the parser of rules makes them."""

    def command(self, parts: list[Any]) -> Command:
        first, *given = parts[:-1]
        if isinstance(first, list):
            return Command(first[0].word, edits=tuple(first))
        return Command(first, tuple(given))

    def edit(self, parts: list[Any]) -> Edit:
        return Edit(*parts)

    def modify(self, parts: list[Any]) -> Edit:
        word, key, _, name, _, values, _ = parts
        return Edit(word, key, (name, values))

    def value(self, parts: list[Any]) -> tuple[Token, Any]:
        return parts[0], parts[2]


_EDITS = ("insert", "delete", "upsert", "delete_key", "modify", "clear")
_OTHERS = (
    "commit", "rollback", "dump", "dump_changes", "query", "explain", "why_not", "profile", "start", "echo", "prefix",
    "exit",
)  # fmt: skip
_GROUND = {"IRI", "NAME_WITH_PREFIX", "BLANK", "NUMBER", "STRING", "TRUE", "FALSE", "TRIPLE_OPEN"}
_WORDS = (
    ({word.upper() for word in (*_EDITS, *_OTHERS)}, f"a command ({', '.join((*_EDITS, *_OTHERS))})"),
    ({word.upper() for word in _EDITS}, "an edit (insert, delete, upsert, delete_key, modify, clear)"),
    ({"IRI", "NAME_WITH_PREFIX", "LEFT", "IDENTIFIER", "FALSE"}, "a fact such as edge(1, 2) or [:a, :p, :b]"),
    (_GROUND | {"VARIABLE", "ANONYMOUS", "CLOSE"}, "a term or ')'"),
    (_GROUND | {"VARIABLE", "ANONYMOUS"}, "a term"),
    (_GROUND, "a constant"),
    ({"IRI", "NAME_WITH_PREFIX"}, "an IRI"),
    ({"SEMICOLON", "COMMA"}, "';' or ','"),
    ({"SEMICOLON", "DUMP_CHANGES"}, "';' or dump_changes"),
    ({"SEMICOLON", "IDENTIFIER"}, "';' or the name of a relation"),
    ({"CLOSE", "COMMA"}, "',' or ')'"),
    ({"SEMICOLON"}, "';'"),
    ({"ARROW"}, "'<-'"),
    ({"EQUALS"}, "'='"),
    ({"IDENTIFIER"}, "a name"),
    ({"STRING"}, "a text in quotation marks"),
    ({"NAMESPACE"}, "a prefix with its colon"),
    ({"IRI"}, "an IRI in angle brackets"),
    ({"OPEN"}, "'('"),
    ({"LEFT"}, "'['"),
    ({"COMMA"}, "','"),
    ({"RIGHT"}, "']'"),
    ({"CLOSE"}, "')'"),
    ({"TRIPLE_CLOSE"}, "')>>'"),
)
"""The words of error messages for sets of terminals."""
