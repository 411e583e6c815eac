"""`read`: turn the statements of a rule set into a `Program`, and check that its rules are well-formed.

    statement          effect
    BASE, PREFIX       valid for what follows
    IMPORTS            the rules of another rule set, once (`imports`)
    RULE               a rule; its name is its IRI, or rule-N by its position
    DATA               a rule with an empty body

A rule is well-formed (SPARQL-RL, *Well-formedness Conditions*) if the elements before a FILTER or SET bind its
variables, if SET has a new variable, and if the body binds the variables of the head. The first error is raised, with
its place, its rule and its variable.

Cost: that of the rule language of kgreason (rules/text), about 40 microseconds for a triple.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NoReturn

from kgreason.errors import UnsafeRuleError
from kgreason.rules.model import Rule, Variable
from kgreason.rules.program import Program, default_name
from kgreason.rules.srl.abstract_syntax import (
    Absent,
    AbstractRule,
    Assignment,
    Element,
    Filter,
    Pattern,
    variables_defined,
    variables_of_triple,
)
from kgreason.rules.srl.names import Names
from kgreason.rules.srl.syntax import (
    AssignmentText,
    BaseLine,
    DataText,
    FilterText,
    ImportsLine,
    NotText,
    PrefixLine,
    RuleText,
    Triples,
    VersionLine,
    rule_set,
)
from kgreason.rules.srl.syntax import Element as ElementText
from kgreason.rules.srl.translation import Translation
from kgreason.rules.srl.triples import Expansion

Importer = Callable[[str], Sequence[Rule] | None]
"""From the IRI of a rule set that IMPORTS names to its rules; None if no file is known for the IRI."""
VERSIONS = ("1.2", "1.2-basic")
_VARIABLE = re.compile(r"[?$](\w+)")
_SAID = {
    ("SET", "BIND"): "SPARQL-RL writes SET(?y := expression), not BIND(expression AS ?y)",
    ("SET", "FILTER"): "SPARQL-RL writes NOT { ... }, not FILTER NOT EXISTS { ... }",
    ("BIND", "SET"): "a query writes BIND(expression AS ?y), not SET(?y := expression)",
    ("BIND", "NOT"): "a query writes FILTER NOT EXISTS { ... }, not NOT { ... }",
}
"""What to say where the other language has its word."""


def read(names: Names, imported: Importer) -> Program:
    """Read the rule set whose text and name are in `names`. The program has the prefixes of the text.

    `imported` returns the rules of the rule set that an IRI names. Raises RuleSyntaxError and UnsafeRuleError, with the
    name of the text in the message, and the errors of `imported`.
    """
    reader = RuleReader(names, "SET")
    translation, others = Translation("srl"), list[Rule]()
    for statement in rule_set(names.text, names.source):
        match statement:
            case BaseLine() | PrefixLine() | VersionLine():
                declare(statement, names)
            case ImportsLine():
                iri = names.iri(statement.iri)
                if (found := imported(iri)) is None:
                    advice = "name its file in the catalogue, or put it beside this file and write IMPORTS <file.srl>"
                    names.fail(statement.iri, f"no rule set with the IRI {iri} is known; {advice}")
                others += found
            case DataText():
                translation.data(*reader.data(statement))
            case RuleText():
                translation.rule(reader.rule(statement))
    return Program((*translation.rules(), *others), names.prefixes)


def declare(line: BaseLine | PrefixLine | VersionLine, names: Names) -> None:
    """Apply a line BASE or PREFIX to `names`, or check a line VERSION."""
    match line:
        case BaseLine(iri):
            names.set_base(iri)
        case PrefixLine(name, iri):
            names.set_prefix(name, iri)
        case VersionLine(token):
            if (version := token.value[1:-1]) not in VERSIONS:
                names.fail(token, f'the version {version} is unknown; write VERSION "{VERSIONS[0]}"')


class RuleReader:
    """Reads the statements of a rule set or of a query as `AbstractRule` objects.

    `word` is the keyword of assignments: SET in a rule set, BIND in a query.
    """

    def __init__(self, names: Names, word: str) -> None:
        self._names, self._word = names, word
        self._written = frozenset(_VARIABLE.findall(names.text))
        self._used = set(self._written)
        self._number = 0
        self._data = Expansion(names, "data", self._fresh)

    def data(self, statement: DataText) -> tuple[str, tuple[Pattern, ...]]:
        """Return the name and the triples of a DATA block. A label means the same blank node in all DATA blocks."""
        self._number += 1
        return default_name(self._number), self._data.patterns(statement.triples)

    def rule(self, statement: RuleText) -> AbstractRule:
        """Read the text of a rule as an abstract rule.

        Raises RuleSyntaxError, and UnsafeRuleError if the rule is not well-formed.
        """
        self._number += 1
        self._used = set(self._written)
        name = self._names.iri(statement.name)[1:-1] if statement.name else default_name(self._number)
        self._names.rule = name
        head = Expansion(self._names, "head", self._fresh).patterns(statement.head)
        expansion = Expansion(self._names, "body", self._fresh)
        body = tuple(self._elements(statement.body, expansion))
        if self._word == "BIND":
            body = with_filters_last(body)
        return self.check_well_formed(AbstractRule(name, head, body, statement.is_data, statement.start.line or 0))

    def check_well_formed(self, rule: AbstractRule) -> AbstractRule:
        """Return the rule unchanged if it is well-formed. Raises UnsafeRuleError if not."""
        if problem := problem_of(rule, self._word):
            where, words = problem
            self.fail_unsafe(rule, where, words)
        return rule

    def fail_unsafe(self, rule: AbstractRule, where: Element, words: str) -> NoReturn:
        """Raise UnsafeRuleError for a rule. `where` is the wrong element, `words` says what is wrong."""
        raise UnsafeRuleError(f"{self._names.source}:{where.line}:{where.column}: rule {rule.name}: {words}")

    def _elements(self, several: Iterable[ElementText], expansion: Expansion) -> Iterator[Element]:
        for element in several:
            if isinstance(element, (NotText, AssignmentText)) and (self._word, element.start.type) in _SAID:
                self._names.fail(element.start, _SAID[self._word, element.start.type])
            match element:
                case Triples():
                    yield from expansion.patterns([element])
                case FilterText(start, parts):
                    yield Filter(self._names.computed(start, parts), start.line or 1, start.column or 1)
                case AssignmentText(start, result, parts):
                    computed = self._names.computed(start, parts, Variable(result.value[1:]))
                    yield Assignment(computed, start.line or 1, start.column or 1)
                case NotText(start, inner, is_data):
                    yield Absent(self._inner(inner, expansion), is_data, start.line or 1, start.column or 1)

    def _inner(self, several: Iterable[ElementText], expansion: Expansion) -> tuple[Pattern | Filter, ...]:
        several = list(several)
        for element in several:
            if isinstance(element, (NotText, AssignmentText)):
                self._names.fail(element.start, f"{element.start} cannot stand under NOT: only triples and FILTER can")
        found = self._elements(several, expansion)
        return tuple(element for element in found if isinstance(element, (Pattern, Filter)))

    def _fresh(self, name: str) -> Variable:
        """Return a new variable, called like `name`, but different from all variables of the text."""
        name = re.sub(r"\W", "_", name)
        number = 0
        while (found := f"{name}{number or ''}") in self._used:
            number += 1
        self._used.add(found)
        return Variable(found)


def problem_of(rule: AbstractRule, word: str) -> tuple[Element, str] | None:
    """Return the wrong element of a rule that is not well-formed, with a message; None if the rule is well-formed.

    `word` is the word for an assignment in the message: SET or BIND.
    """
    bound = set[Variable]()
    for element in rule.body:
        if problem := _element_problem(element, bound, word):
            return problem
        bound.update(variables_defined(element))
    for pattern in rule.head:
        for variable in variables_of_triple(pattern.triple):
            if variable not in bound:
                return pattern, f"{variable} is in the head, but nothing in the body binds it"
    return None


def with_filters_last(body: tuple[Element, ...]) -> tuple[Element, ...]:
    """Return the elements of a query's body with FILTERs (also FILTER NOT EXISTS) after all others.

    The elements under FILTER NOT EXISTS are ordered in the same way.
    """
    found = (
        element._replace(elements=tuple(sorted(element.elements, key=_is_filter)))
        if isinstance(element, Absent)
        else element
        for element in body
    )
    return tuple(sorted(found, key=_is_filter))


def _is_filter(element: Element) -> bool:
    return isinstance(element, (Filter, Absent))


def _element_problem(element: Element, bound: set[Variable], word: str) -> tuple[Element, str] | None:
    match element:
        case Filter(computed) | Assignment(computed):
            for variable in computed.inputs():
                if variable not in bound:
                    place = "FILTER" if computed.result is None else word
                    return element, f"{variable} is in {place}, but nothing before binds it"
            if computed.result in bound:
                return element, f"{computed.result} has a value already; {word} needs a new variable"
        case Absent(elements):
            known = set(bound)
            for inner in elements:
                if problem := _element_problem(inner, known, word):
                    return problem
                known.update(variables_defined(inner))
    return None
