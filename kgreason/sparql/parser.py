"""`parse`: an update request -> its operations. All operations are checked before any of them runs.

    part                       read by
    outer structure            lark (`syntax`)
    templates and data         Oxigraph's TriG parser (`block`)
    WHERE                      Oxigraph's SPARQL parser, as a SELECT (`where_clause`)
    prologue, graph names      Oxigraph's Turtle parser

PREFIX and BASE hold from their place to the end of the request. LOAD takes `file:` IRIs; a LOAD that would need the
network is an error, and with SILENT it does nothing.

Raises QueryError for the first mistake, with its line and column. Cost: see `syntax` and `block`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NoReturn, cast
from urllib.parse import urlsplit

import pyoxigraph
from lark import Token
from pyoxigraph import RdfFormat

from kgreason.errors import QueryError
from kgreason.rdf.problem import problem_of
from kgreason.sparql.block import Block, block
from kgreason.sparql.operations import Clear, Create, DeleteData, InsertData, Load, Modify, Operation, Transfer
from kgreason.sparql.problems import place_of_query
from kgreason.sparql.source import Source
from kgreason.sparql.syntax import Node, statements
from kgreason.sparql.template import Template
from kgreason.sparql.where_clause import Where
from kgreason.terms.prefixes import declarations

NO_PREFIXES: Mapping[str, str] = MappingProxyType({})
_NO_BLANKS = "DELETE cannot contain blank nodes (_:b, [] or lists); use a variable in DELETE ... WHERE"


def parse(
    text: str, source: str = "<update>", prefixes: Mapping[str, str] = NO_PREFIXES, base: str | None = None
) -> tuple[Operation, ...]:
    r"""Return the operations of an update request; error messages call the request `source`. Raises QueryError.

    The request can use `prefixes` and `base` without declaring them.

    >>> [insert] = parse("PREFIX : <http://e/> INSERT DATA { :a :p 01 }")
    >>> insert.rows
    b'<http://e/a> <http://e/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Source(source, text).error(error.start, "invalid character (a lone surrogate)") from error
    try:
        return tuple(_Parser(Source(source, text), prefixes, base).operations())
    except QueryError:
        if (at := place_of_query(text)) is None:
            raise
    raise Source(source, text).error(at, "this is a SPARQL query, not an update: use `query` for it")


class _Parser:
    """Parses the operations in order.

    It keeps the prefixes, the base and the blank node labels that it has met so far.
    """

    def __init__(self, source: Source, prefixes: Mapping[str, str], base: str | None) -> None:
        self._source = source
        self._prologue = ("" if base is None else f"BASE <{base}> ") + declarations(prefixes)
        self._prefixes = {f"{prefix}:" for prefix in prefixes}
        self._labels: set[str] = set()

    def operations(self) -> Iterator[Operation]:
        for node in statements(self._source):
            match node.data:
                case "prefix" | "base":
                    self._declare(node)
                case "insert_data":
                    yield InsertData(self._insert_block(self._data(_token(node), "INSERT DATA")).rows())
                case "delete_data":
                    deleted = self._delete_template(self._data(_token(node), "DELETE DATA"))
                    yield DeleteData(pyoxigraph.serialize(deleted.quads, format=RdfFormat.N_QUADS) or b"")
                case "delete_where":
                    yield self._delete_where(_token(node))
                case "modify":
                    yield self._modify(node)
                case _:
                    yield from self._management(node)

    def _declare(self, node: Node) -> None:
        tokens = [str(token) for token in node.children]
        self._prologue += f"{' '.join([str(node.data).upper(), *tokens])} "
        self._resolve_iri(cast(Token, node.children[-1]), "<http://e/>")
        if node.data == "prefix":
            self._prefixes.add(tokens[0])

    def _block(self, token: Token) -> Block:
        return block(self._source, _start(token), cast(int, token.end_pos), self._prologue)

    def _data(self, token: Token, verb: str) -> Block:
        """Read a block of INSERT DATA or DELETE DATA, named `verb` in messages.

        Raises QueryError if it has a variable.
        """
        found = self._block(token)
        for name, at in found.variables.items():
            self._fail(at, f"{verb} cannot contain a variable (?{name})")
        return found

    def _insert_block(self, found: Block) -> Block:
        """Return the block of an INSERT as it is. Raises QueryError if it has a blank node label of an earlier INSERT.

        Each INSERT makes new blank nodes. So one label in two operations would mean two blank nodes, but look like one.
        """
        for label, at in found.labels.items():
            if label in self._labels:
                self._fail(at, f"an earlier operation uses {label} for another blank node; choose another label")
        self._labels.update(found.labels)
        return found

    def _delete_template(self, found: Block) -> Template:
        template = found.template()
        if template.blanks:
            self._fail(next(iter(found.labels.values()), found.start), _NO_BLANKS)
        return template

    def _delete_where(self, token: Token) -> Modify:
        template = self._delete_template(self._block(token))
        select = self._where(token).select(template.variables, distinct=True)
        return Modify(select, template, Template())

    def _modify(self, node: Node) -> Modify:
        *clauses, where = node.children
        graph, removed, added = None, Template(), Template()
        dataset: list[str] = []
        for clause in cast("list[Node]", clauses):
            token = _token(clause)
            match clause.data:
                case "with":
                    graph = self._iri(token)
                case "delete":
                    removed = self._delete_template(self._block(token))
                case "insert":
                    added = self._insert_block(self._block(token)).template()
                case "using":
                    dataset.append(f"FROM {self._iri(token)}")
                case _:
                    dataset.append(f"FROM NAMED {self._iri(token)}")
        variables = tuple(dict.fromkeys(removed.variables + added.variables))
        found = self._where(cast(Token, where))
        select = found.select(variables, dataset, None if dataset else graph, distinct=not added.blanks)
        return Modify(select, removed.within(graph), added.within(graph))

    def _where(self, token: Token) -> Where:
        return Where(self._source, _start(token), cast(int, token.end_pos), self._prologue, self._prefixes)

    def _management(self, node: Node) -> Iterator[Operation]:
        tokens = cast("list[Token]", node.children)
        silent = any(token.type == "SILENT" for token in tokens)
        tokens = [token for token in tokens if token.type != "SILENT"]
        match node.data:
            case "clear":
                yield self._clear(tokens[0])
            case "create":
                yield Create(self._iri(tokens[0]), silent)
            case "transfer":
                verb = cast("Literal['ADD', 'COPY', 'MOVE']", tokens[0].type)
                yield Transfer(verb, self._graph(tokens[1]), self._graph(tokens[2]), silent)
            case _:
                yield from self._load(tokens, silent)

    def _clear(self, token: Token) -> Clear:
        match token.type:
            case "ALL" | "NAMED":
                return Clear(token.type == "ALL", None)
            case "DEFAULT":
                return Clear(True, ())
            case _:
                return Clear(False, (self._iri(token),))

    def _load(self, tokens: list[Token], silent: bool) -> Iterator[Load]:
        address = urlsplit(self._iri(tokens[0])[1:-1])
        if address.scheme == "file" and address.netloc in ("", "localhost"):
            from urllib.request import url2pathname  # imports http and ssl, 15 ms

            graph = self._iri(tokens[1]) if tokens[1:] else None
            yield Load(Path(url2pathname(address.path)), graph, silent)
        elif not silent:
            self._fail(_start(tokens[0]), f"LOAD reads local files (file:///...), not {address.geturl()}")

    def _graph(self, token: Token) -> str | None:
        return None if token.type == "DEFAULT" else self._iri(token)

    def _iri(self, token: Token) -> str:
        return self._resolve_iri(token, str(token))

    def _resolve_iri(self, token: Token, name: str) -> str:
        """Return the IRI, in angle brackets, that `name` stands for with the prefixes and the base so far.

        `name` is a prefixed name, or an IRI in angle brackets. Raises QueryError, which names the place of `token`, if
        the name or the last declaration is invalid.
        """
        text = f"{self._prologue}\n{name} <http://e/> <http://e/> ."
        try:
            return str(next(pyoxigraph.parse(text, RdfFormat.TURTLE)).subject)
        except SyntaxError as error:
            self._fail(_start(token), problem_of(error, "update"))

    def _fail(self, at: int, problem: str) -> NoReturn:
        raise self._source.error(at, problem)


def _token(node: Node) -> Token:
    return cast(Token, node.children[0])


def _start(token: Token) -> int:
    return cast(int, token.start_pos)
