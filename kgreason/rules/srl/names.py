"""`Names`: from tokens to terms, under the prefixes and the base that a text has declared so far.

Constants are N-Triples text (terms/quoting.py). A relative IRI is resolved against the base (RFC 3986, section 5.2);
without a base it is an error. Cost: a regular expression for a constant; Oxigraph resolves relative IRIs.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

import pyoxigraph
from lark import Token
from pyoxigraph import RdfFormat

from kgreason.errors import RuleSyntaxError
from kgreason.functions.registry import Find
from kgreason.rules.expressions import DIVISIONS, RESERVED, SKOLEM, problem_of, with_constants
from kgreason.rules.model import Computed, Constant, Variable
from kgreason.rules.text.syntax import Literal
from kgreason.terms import quoting
from kgreason.terms.prefixes import undeclared_message
from kgreason.terms.quoting import unescape
from kgreason.terms.vocabulary import RDF_TYPE, XSD_BOOLEAN

_ABSOLUTE = re.compile(r"<[A-Za-z][0-9A-Za-z+.\-]*:")
_DIRECTIONS = ("ltr", "rtl")
NOT_IN_SRL = frozenset(["BOUND", "COALESCE", "MD5", "SHA1", "SHA256", "SHA384", "SHA512"])
"""Functions of SPARQL that SPARQL-RL leaves out."""
_AS_WRITTEN = frozenset(["NUMBER", "TRUE", "FALSE", "OPERATOR", "COMMA", "OPEN", "CLOSE"])


class Names:
    """The prefixes and the base that a text has declared so far. Turns tokens of the text into terms.

    `source` is the name of the text in messages, `base` its IRI or None. `functions` finds the Python functions that
    rules may call; with None every call is accepted. `is_rule_set` says that the text is a rule set, not a query.
    """

    def __init__(
        self, text: str, source: str, base: str | None, functions: Find | None = None, *, is_rule_set: bool = True
    ) -> None:
        self.text, self.source, self.base = text, source, base
        self._functions, self._is_rule_set = functions, is_rule_set
        self.prefixes: dict[str, str] = {}
        self.rule = ""
        """The name of the rule that is being read, for messages about its expressions."""

    def fail(self, token: Token, problem: str) -> NoReturn:
        """Raise RuleSyntaxError at the place of a token. `problem` is the message."""
        raise RuleSyntaxError(self.source, token.line, token.column, problem)

    def set_base(self, token: Token) -> None:
        """Set the base by `BASE <iri>`. A relative IRI is resolved against the former base."""
        self.base = self.iri(token)[1:-1]

    def set_prefix(self, name: Token, token: Token) -> None:
        """Declare a prefix by `PREFIX p: <iri>`."""
        self.prefixes[name.value[:-1]] = self.iri(token)[1:-1]

    def iri(self, token: Token) -> Constant:
        """Return the constant for a token that is an IRI or a name with a prefix."""
        text = token.value
        try:
            if token.type == "NAME_WITH_PREFIX":
                prefix, _, local = text.partition(":")
                if prefix not in self.prefixes:
                    self.fail(token, undeclared_message(prefix, "srl"))
                return quoting.iri(f"<{self.prefixes[prefix]}{quoting.local_name(local)}>")
            if not _ABSOLUTE.match(text) and self.base is not None:
                text = self._resolve(text)
            elif not _ABSOLUTE.match(text):
                self.fail(token, f"{text} is a relative IRI, and the text has no base: write BASE <http://...> first")
            return quoting.iri(text)
        except ValueError as error:
            self.fail(token, str(error))

    def constant(self, node: Token | Literal) -> Constant:
        """Return the constant for an IRI, a name with a prefix, the word `a`, or a literal."""
        if isinstance(node, Literal):
            return self._literal(node)
        match node.type:
            case "A":
                return RDF_TYPE
            case "NUMBER":
                return quoting.number(node.value)
            case "TRUE" | "FALSE":
                return f'"{node.lower()}"^^{XSD_BOOLEAN}'
            case _:
                return self.iri(node)

    def computed(self, start: Token, parts: list[Any], result: Variable | None = None) -> Computed:
        """Turn the tokens of an expression, `parts`, into a `Computed`. Raises RuleSyntaxError at a wrong token.

        `start` is the token FILTER, SET or BIND. `result` is the variable that gets the value; None for a FILTER.
        """
        found = Computed(tuple(map(self._part, parts)), result)
        tokens = [part if isinstance(part, Token) else part.string for part in parts]
        for part, token in zip(found.parts, tokens, strict=True):
            if self._is_rule_set and part in NOT_IN_SRL and token.type == "IDENTIFIER":
                self._refuse(token, f"{part} is no function of SPARQL-RL")
            if part in DIVISIONS and token.type == "IDENTIFIER":
                self._refuse(token, f"{part} is no function of SPARQL")
        if SKOLEM in found.parts:
            self._refuse(
                tokens[found.parts.index(SKOLEM)], "SKOLEM is no function here: write a blank node in the head"
            )
        if problem := problem_of(found, self.text[tokens[0].start_pos : tokens[-1].end_pos], self._functions):
            self._refuse(start if problem.part is None else tokens[problem.part], problem.words)
        return found._replace(parts=with_constants(found.parts))

    def _refuse(self, token: Token, problem: str) -> NoReturn:
        self.fail(token, f"rule {self.rule}: {problem}" if self.rule else problem)

    def _part(self, node: Any) -> Variable | str:
        if isinstance(node, Token):
            if node.type == "VARIABLE":
                return Variable(node.value[1:])
            if node.type in _AS_WRITTEN:
                return str(node.value)
            if node.type == "IDENTIFIER":
                name = str(node.value)
                return name.upper() if name.upper() in RESERVED else name
        return self.constant(node)

    def _literal(self, literal: Literal) -> Constant:
        datatype = self.iri(literal.datatype) if literal.datatype else None
        try:
            if literal.language:
                _, mark, direction = literal.language.value.partition("--")
                if mark and direction not in _DIRECTIONS:
                    self.fail(literal.language, f"a base direction is ltr or rtl, not {direction}")
                return quoting.tagged_constant(literal.string, literal.language)
            return quoting.typed_constant(literal.string, datatype)
        except ValueError as error:
            self.fail(literal.string, str(error))

    def _resolve(self, text: str) -> str:
        """Return the absolute IRI for a relative IRI."""
        line = f"<{unescape(text[1:-1])}> <x:p> <x:o> ."
        try:
            (triple,) = pyoxigraph.parse(line, RdfFormat.TURTLE, base_iri=self.base)
        except SyntaxError as error:
            raise ValueError(f"{text} cannot be resolved against the base <{self.base}>") from error
        return str(triple.subject)
