"""`format_as`: a program as the text of a SPARQL-RL rule set or of a CONSTRUCT query, if there is such a text.

    [?x, :p, 1] :- [?x, :q, ?y], FILTER(?y > 2) .     RULE { ?x :p 1 } WHERE { ?x :q ?y . FILTER(?y > 2) }
    BIND(?y + 1 AS ?z)                                SET(?z := ?y + 1)
    BIND(SKOLEM("label", ?x, ?y) AS ?b)               a blank node _:b in the head, if the body has no other variables
    NOT EXISTS ?z IN (DATA [?x, :q, ?z])              NOT DATA { ?x :q ?z }
    [:a, :p, 1] .                                     DATA { :a :p 1 }

Neither language has relations, contradictions, aggregates, or blank nodes as constants of a rule. A rule that reads a
part (`translation`) is written with the triple term that the part takes apart.

Law: the text, read again, gives the same program, except for names, groups, labels of blank nodes, and dialects.
`format_as` reads the text and raises RuleError if this is not so. Cost: reading the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Literal

from kgreason.errors import RuleError
from kgreason.rules.canonical_form import canonical
from kgreason.rules.expressions import expression_text, is_constant, is_skolem, without_extensions
from kgreason.rules.formatter import WIDTH, format_term
from kgreason.rules.model import DATA, FALSE, Atom, Computed, Not, Rule, Term, Variable
from kgreason.rules.patterns import substitute
from kgreason.rules.program import Program
from kgreason.rules.srl.parts import has_part_name, is_part
from kgreason.rules.srl.translation import OPENERS
from kgreason.rules.strata import stratify
from kgreason.terms.vocabulary import RDF_TYPE

_BLANK = re.compile(r"_:[^\s)>]+")
_IRI = re.compile(r"[A-Za-z][\w+.\-]*:[^\s<>\"{}|^`\\]*")
_NUMBER = re.compile(r"[+-]?\.?\d|true$|false$")
_INDENT = "\n    "
_THERE = {"srl": "in SPARQL-RL", "rq": "in a CONSTRUCT query"}


def format_as(program: Program, syntax: Literal["srl", "rq"], read: Callable[[str], Program]) -> str:
    """Return the program as the text of a rule set of SPARQL-RL ("srl") or of a CONSTRUCT query ("rq").

    `read` reads a text in this language. With it, the result is checked: it must give the same program. Raises
    RuleError if there is no such text.
    """
    parts = {str(rule.heads[0].relation): rule for rule in program.rules if is_part(rule)}
    rules = [rule for rule in program.rules if not is_part(rule)]
    if syntax == "rq" and len(rules) != 1:
        raise RuleError(f"a CONSTRUCT query is one rule, and there are {len(rules)}; write a rule set (.srl)")
    _check_labels(rules)
    blocks = ["\n".join(f"PREFIX {prefix}: <{namespace}>" for prefix, namespace in program.prefixes.items())]
    blocks += [_Writer(rule, program.prefixes, parts, syntax).text() for rule in rules]
    text = "\n\n".join(filter(None, blocks)) + "\n"
    _check_same(program, read(text), _THERE[syntax])
    return text


class _Writer:
    """Writes one rule. `parts` maps the relation of each part to the part (`rules.srl.parts`)."""

    def __init__(self, rule: Rule, prefixes: Mapping[str, str], parts: Mapping[str, Rule], syntax: str) -> None:
        rule = _without_anonymous(rule)
        self._rule, self._prefixes, self._parts = rule, prefixes, parts
        self._is_query = syntax == "rq"
        self._there = _THERE[syntax]
        self._blanks = {each.result for each in rule.computed if is_skolem(each)}
        self._triples = _triples_of_heads(rule)
        self._is_whole = False
        """Whether the whole body is about asserted triples."""

    def text(self) -> str:
        """Return the text of the rule, or of the DATA block.

        The name of the rule is written as an IRI, or in a comment.
        """
        rule = self._rule
        if rule.declares:
            self._fail(f"the declaration of a relation cannot be written {self._there}")
        if rule.aggregates:
            self._fail(f"AGGREGATE cannot be written {self._there}")
        if FALSE in rule.heads:
            self._fail(f"a contradiction (false) cannot be written {self._there}")
        is_fact = not (rule.body or rule.computed or rule.negated)
        heads = [self._triple(atom, is_fixed=not is_fact) for atom in rule.heads]
        if is_fact and not self._is_query:
            return self._name_of(f"DATA {_block(heads)}", "")
        atoms = [*rule.body, *(atom for negated in rule.negated for atom in negated.atoms)]
        self._is_whole = bool(rule.body) and all(map(self._is_data, atoms))
        body = _block(list(self._body()), "")
        if self._is_query:
            return self._name_of(f"CONSTRUCT {_block(heads)} WHERE {body}", "")
        where = "WHERE DATA" if self._is_whole else "WHERE"
        iri = f"<{rule.name}> " if _IRI.fullmatch(rule.name) else ""
        return self._name_of(f"RULE {iri}{_block(heads)} {where} {body}", iri)

    def _name_of(self, text: str, iri: str) -> str:
        return text if iri or re.fullmatch(r"rule-\d+", self._rule.name) else f"# {self._rule.name!r}\n{text}"

    def _body(self) -> Iterator[str]:
        for atom in self._rule.body:
            if self._is_data(atom) and not self._is_whole:
                self._fail(
                    f"DATA for some triples of the body cannot be written {self._there}: "
                    "write it for all of them (WHERE DATA), or for those under NOT"
                )
            yield f"{self._triple(atom)} ."
        for computed in self._rule.computed:
            if is_skolem(computed):
                self._check_row(computed)
            elif computed.result in self._triples:
                continue
            elif self._is_query and computed.result:
                yield f"BIND({self._expression(computed)} AS {computed.result})"
            elif computed.result:
                yield f"SET({computed.result} := {self._expression(computed)})"
            else:
                yield f"FILTER({self._expression(computed)})"
        yield from map(self._not, self._rule.negated)

    def _not(self, negated: Not) -> str:
        about_data = set(map(self._is_data, negated.atoms))
        if len(about_data) > 1:
            self._fail(f"DATA for some atoms under NOT cannot be written {self._there}: write it for all of them")
        inner = [f"{self._triple(atom)} ." for atom in negated.atoms]
        inner += [f"FILTER({self._expression(computed)})" for computed in negated.computed]
        is_data = about_data == {True} and not self._is_whole
        if self._is_query:
            return f"FILTER NOT EXISTS {{ {' '.join(inner)} }}"
        return f"NOT {'DATA ' if is_data else ''}{{ {' '.join(inner)} }}"

    def _is_data(self, atom: Atom) -> bool:
        found = self._parts[str(atom.relation)].body[0] if atom.relation in self._parts else atom
        if found.relation == DATA and self._is_query:
            self._fail(f"DATA cannot be written {self._there}")
        return found.relation == DATA

    def _triple(self, atom: Atom, *, is_fixed: bool = True) -> str:
        if atom.relation in self._parts:
            return self._triple_term_text(self._parts[str(atom.relation)], atom)
        if atom.relation not in (None, DATA):
            self._fail(f"the relation {atom.relation} cannot be written {self._there}, which has triples only")
        constants = [term for term in atom.terms if isinstance(term, str)]
        if is_fixed and any(term.startswith(("_:", "<<")) and _BLANK.search(term) for term in constants):
            self._fail(f"a blank node as a constant cannot be written {self._there}")
        subject, property_, object_ = atom.terms
        return self._terms(self._term(subject), self._property(property_), self._term(object_))

    def _terms(self, *terms: str) -> str:
        """Return the text of a triple with these terms. Raises RuleError if the property is no IRI or variable."""
        subject, property_, object_ = terms
        if property_.startswith(("_:", '"', "<<")) or _NUMBER.match(property_):
            self._fail(f"{property_} as a property cannot be written {self._there}: a property is an IRI or a variable")
        return f"{subject} {property_} {object_}"

    def _term(self, term: Term) -> str:
        if term in self._blanks:
            assert isinstance(term, Variable)
            return f"_:{term.name}"
        if term in self._triples:
            subject, property_, object_ = self._triples[term]
            return f"<<( {self._terms(self._term(subject), self._property(property_), self._term(object_))} )>>"
        return format_term(term, self._prefixes)

    def _property(self, term: Term) -> str:
        return "a" if term == RDF_TYPE else self._term(term)

    def _triple_term_text(self, part: Rule, atom: Atom) -> str:
        """Return the text of a triple pattern that contains triple terms. The rule in Datalog has `atom` in its place.

        `part`: the rule that derives the relation of `atom`. The result is the triple pattern in the body of `part`,
        with the terms of `atom` in place of the variables in the head of `part`.
        """
        given = dict(zip(part.heads[0].terms, atom.terms, strict=True))
        opened = {(each.parts[2], str(each.parts[0])): each.result for each in part.computed if each.result}

        def text(term: Term) -> str:
            if (term, OPENERS[0]) not in opened:
                return self._term(given.get(term, term))
            subject, predicate, object_ = (opened[term, opener] for opener in OPENERS)
            property_ = "a" if given.get(predicate) == RDF_TYPE else text(predicate)
            return f"<<( {self._terms(text(subject), property_, text(object_))} )>>"

        terms = part.body[0].terms
        return self._terms(text(terms[0]), "a" if terms[1] == RDF_TYPE else text(terms[1]), text(terms[2]))

    def _expression(self, computed: Computed) -> str:
        constants = (part for part in computed.parts if isinstance(part, str) and is_constant(part))
        return expression_text(
            without_extensions(computed), {part: format_term(part, self._prefixes) for part in constants}
        )

    def _check_row(self, computed: Computed) -> None:
        """Raise RuleError if a SKOLEM lacks a variable of the body: a blank node in a head depends on all of them."""
        row = {term for atom in self._rule.body for term in atom.variables()}
        row |= {
            each.result for each in self._rule.computed if each.result and not is_skolem(each)
        } - self._triples.keys()
        if set(computed.inputs()) != row:
            self._fail(
                f"SKOLEM for {computed.result} cannot be written {self._there}: "
                "its arguments must be all variables of the body"
            )

    def _fail(self, problem: str) -> None:
        raise RuleError(f"rule {self._rule.name}: {problem}")


def _block(lines: list[str], end: str = " .") -> str:
    """Return the lines in braces, with `end` after each of them; on one line if the result is short."""
    line = f"{{ {f'{end} '.join(lines)} }}" if lines else "{ }"
    return line if len(line) <= WIDTH else f"{{{_INDENT}{f'{end}{_INDENT}'.join(lines)}\n}}"


def _without_anonymous(rule: Rule) -> Rule:
    """Return the rule with a new name for the variable of each `_`, which SPARQL-RL does not have."""
    inner = (atom for negated in rule.negated for atom in negated.atoms)
    terms = dict.fromkeys(term for atom in (*rule.body, *inner) for term in atom.terms)
    names = (name for number in count(1) if (name := Variable(f"any{number}")) not in terms)
    new = {each: next(names) for each in terms if isinstance(each, Variable) and each.is_anonymous}
    if not new:
        return rule
    body = tuple(substitute(atom, new) for atom in rule.body)
    negated = (
        each._replace(
            atoms=tuple(substitute(atom, new) for atom in each.atoms),
            local=tuple(new.get(variable, variable) for variable in each.local),
        )
        for each in rule.negated
    )
    return replace(rule, body=body, negated=tuple(negated))


def _triples_of_heads(rule: Rule) -> dict[Term, tuple[Term, Term, Term]]:
    """Return the triple terms that BIND makes and only heads use, as a dict from the variable to the three terms.

    Triple terms inside such triple terms are included. The result is empty if a NOT reads one of the variables.
    """
    found: dict[Term, tuple[Term, Term, Term]] = {}
    for computed in reversed(rule.computed):
        name, *parts = computed.parts
        if name == "TRIPLE" and computed.result and parts[0::2] == ["(", ",", ",", ")"]:
            others = (each for each in rule.computed if each.result not in found)
            if not any(computed.result in each.inputs() for each in others):
                found[computed.result] = (parts[1], parts[3], parts[5])
    read = {variable for negated in rule.negated for variable in negated.outer_variables()}
    return {} if found.keys() & read else found


def _check_labels(rules: Iterable[Rule]) -> None:
    """Raise RuleError if several rules have a SKOLEM with the same label.

    Such rules make the same blank nodes. In SPARQL-RL, two rules never make the same blank node.
    """
    labels = Counter(
        label for rule in rules for label in {str(each.parts[2]) for each in rule.computed if is_skolem(each)}
    )
    for rule in rules:
        for each in filter(is_skolem, rule.computed):
            if labels[str(each.parts[2])] > 1:
                problem = f"another rule makes the same blank nodes, with the label {each.parts[2]}"
                raise RuleError(f"rule {rule.name}: {problem}")


def _check_same(program: Program, found: Program, there: str) -> None:
    """Raise RuleError if `found` differs from `program` in more than the law at the top of this file allows.

    `there` names the language in messages.
    """
    wanted, got = (Counter(_form(rule) for rule in each.rules if rule.body) for each in (program, found))
    for rule in program.rules:
        if rule.body and wanted[_form(rule)] != got[_form(rule)]:
            raise RuleError(f"rule {rule.name}: the rule cannot be written {there} without a change of its meaning")
    if len(_facts(program)) != len(_facts(found)):
        raise RuleError(f"the facts cannot be written {there} without a change")
    stratify(found.rules)


def _facts(program: Program) -> set[Atom]:
    return {head for rule in program.rules if not rule.body for head in rule.heads}


def _form(rule: Rule) -> Rule:
    """Return the canonical form of a rule without its name, group, file and dialect, for a comparison.

    Labels of blank nodes and relations of parts do not matter in this form, either.
    """

    def atom(found: Atom) -> Atom:
        return Atom("part", found.terms) if has_part_name(found) else found

    def comparable(found: Computed) -> Computed:
        if not is_skolem(found):
            return without_extensions(found)
        return found._replace(parts=(*found.parts[:2], '"label"', *sorted(found.inputs()), ")"))

    return canonical(
        replace(
            rule,
            heads=tuple(map(atom, rule.heads)),
            body=tuple(map(atom, rule.body)),
            negated=tuple(
                each._replace(atoms=tuple(map(atom, each.atoms)), computed=tuple(map(comparable, each.computed)))
                for each in rule.negated
            ),
            computed=tuple(map(comparable, rule.computed)),
            name="",
            group="",
            file="",
            dialect="",
        )
    )
