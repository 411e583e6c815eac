"""`Translation`: from abstract rules of SPARQL-RL to our rules.

    RULE { _:b :p ?x } WHERE { B }        BIND(SKOLEM("label", variables of B) AS ?b): one blank node for each row
    RULE { :a :p <<( ?x :q 1 )>> } ...    BIND(TRIPLE(?x, :q, 1) AS ?triple)
    ... WHERE { ?r :p <<( ?x :q 1 )>> }   part(?r, ?x, :q, 1), with the rule
                                          part(?r, ?s, ?p, ?o) :- [?r, :p, ?t], BIND(SUBJECT(?t) AS ?s), ...
    ... SET(?x := e) ?y :p ?x             [?y, :p, ?z], FILTER(sameTerm(?x, ?z))
    ... NOT { ?x :q ?z FILTER(?z > 5) }   NOT EXISTS ?z IN ([?x, :q, ?z], FILTER(?z > 5))
    ... WHERE DATA { ?x :p ?y }           DATA [?x, :p, ?y]
    DATA { :a :p _:b }                    [:a, :p, _:b] .

A variable that occurs for the first time under NOT belongs to this NOT alone, so it gets a name of its own.

A *part* is a helper rule. It matches a triple pattern that has triple terms with variables, and takes the triple terms
apart. This makes no new terms. So a part has no dialect, and `strata` does not treat it as a rule of SPARQL-RL that
assigns.

The labels of blank nodes and the names of parts contain a digest of two things: the canonical form of the rule, and
how many rules with this form come before it in the same text. So rules of other forms have no influence on the labels
of a rule, and two equal rules make different blank nodes.

Cost: the canonical form is computed for each rule with blank nodes or triple terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256

from kgreason.rules.canonical_form import canonical
from kgreason.rules.expressions import in_order_of_use
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import DATA, Atom, Computed, Constant, Not, Rule, Term, Variable
from kgreason.rules.program import MOST_ATOMS
from kgreason.rules.srl.abstract_syntax import (
    Absent,
    AbstractRule,
    Assignment,
    Blank,
    Filter,
    Nested,
    Node,
    Pattern,
    Triple,
    blanks,
    variables_defined,
    variables_mentioned,
    variables_of_triple,
)
from kgreason.rules.srl.parts import PART

OPENERS = ("SUBJECT", "PREDICATE", "OBJECT")
_DIGITS = 16


class Translation:
    """Translates the abstract rules of one text. `dialect` is the dialect of the rules (`Rule.dialect`)."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._found: list[list[Rule] | tuple[str, tuple[Pattern, ...]]] = []
        self._alike = Counter[str]()

    def rule(self, rule: AbstractRule) -> None:
        """Translate a rule; `rules()` will yield the result. A rule without a head derives nothing and is left out."""
        if rule.head and (made := _Body(rule, self._dialect).rules()):
            self._found.append(self._with_labels(made))

    def data(self, name: str, patterns: tuple[Pattern, ...]) -> None:
        """Add a DATA block. For its facts, `rules()` will yield rules without a body that are called `name`."""
        self._found.append((name, patterns))

    def rules(self) -> Iterator[Rule]:
        """Yield the translated rules and the facts of DATA blocks, in the order of the text."""
        triples = [pattern.triple for found in self._found if isinstance(found, tuple) for pattern in found[1]]
        digest = _digest(str(triples))
        for found in self._found:
            if isinstance(found, list):
                yield from found
                continue
            name, patterns = found
            heads = [Atom(None, tuple(_constant_of(node, digest) for node in pattern.triple)) for pattern in patterns]
            for start in range(0, len(heads), MOST_ATOMS):
                yield Rule(tuple(heads[start : start + MOST_ATOMS]), (), name, dialect=self._dialect)

    def _with_labels(self, rules: list[Rule]) -> list[Rule]:
        """Return the rules with the final labels of blank nodes and the final names of parts.

        `rules` are a translated rule and its parts. In them, a label is a number, and the name of a part ends in a
        number. The result has a digest before this number.
        """
        if len(rules) == 1 and not any(computed.parts[0] == "SKOLEM" for computed in rules[0].computed):
            return rules
        text = "\n".join(format_rule(canonical(replace(rule, name=""))) for rule in rules)
        self._alike[text] += 1
        digest = _digest(f"{text}\n{self._alike[text]}")
        return [_with_new_labels(rule, digest) for rule in rules]


class _Body:
    """Translates one rule. Keeps the atoms, expressions, negations and parts made so far."""

    def __init__(self, rule: AbstractRule, dialect: str) -> None:
        self._rule, self._dialect = rule, dialect
        self._atoms: list[Atom] = []
        self._computed: list[Computed] = []
        self._negated: list[Not] = []
        self._parts: list[Rule] = []
        self._copies: dict[Variable, Variable] = {}
        self._assigned = {e.computed.result for e in rule.body if isinstance(e, Assignment)}
        self._outer = {
            *variables_mentioned(e for e in rule.body if not isinstance(e, Absent)),
            *variables_mentioned(rule.head),
        }
        self._used = {*self._outer, *variables_mentioned(rule.body)}

    def rules(self) -> list[Rule]:
        """Return the translated rule and its parts; empty if the body can never hold."""
        bound = set[Variable]()
        for element in self._rule.body:
            match element:
                case Pattern(triple):
                    self._atoms.append(self._atom(self._with_copies(triple), is_data=self._rule.is_data))
                    bound.update(variables_of_triple(triple))
                case Absent():
                    if not element.elements:  # NOT { } is never true
                        return []
                    self._negated.append(self._not(element, bound))
                case Filter(computed):
                    self._computed.append(computed)
                case Assignment(computed):
                    self._computed.append(computed)
                    bound.update(variables_defined(element))
        heads = self._heads()
        body = tuple(dict.fromkeys(self._atoms))
        rule = Rule(
            heads,
            body,
            self._rule.name,
            negated=tuple(dict.fromkeys(self._negated)),
            computed=in_order_of_use(body, dict.fromkeys(self._computed)),
            dialect=self._dialect,
            line=self._rule.line,
        )
        return [rule, *self._parts]

    # the body

    def _with_copies(self, triple: Triple) -> Triple:
        """Return a triple pattern in which a new variable replaces each variable that has its value from SET.

        For each new variable, the rule gets a FILTER that compares the variable with the value.
        """
        return tuple(self._copy(node) for node in triple)  # type: ignore[return-value]

    def _copy(self, node: Node) -> Node:
        if isinstance(node, Nested):
            return Nested(*map(self._copy, node))
        if not isinstance(node, Variable) or node not in self._assigned:
            return node
        if node not in self._copies:
            self._copies[node] = self._fresh(node.name)
            self._computed.append(Computed(("SAMETERM", "(", self._copies[node], ",", node, ")")))
        return self._copies[node]

    def _atom(self, triple: Triple, *, is_data: bool) -> Atom:
        """Return the atom for a triple pattern.

        If the pattern has triple terms, a new part is made, and the atom has the relation of this part.

        `is_data` says that the pattern matches asserted triples only.
        """
        relation = DATA if is_data else None
        plain = tuple(node for node in triple if not isinstance(node, (Nested, Blank)))
        if len(plain) == len(triple):
            return Atom(relation, plain)
        found: dict[Variable, Term] = {node: node for node in triple if isinstance(node, Variable)}
        computed: list[Computed] = []
        terms = tuple(self._term_of(node, found, computed) for node in triple)
        number = len(self._parts) + 1
        relation_of_part, body = f"{PART}{number}", (Atom(relation, terms),)
        head = Atom(relation_of_part, tuple(found))
        name = f"{self._rule.name}-part-{number}"
        self._parts.append(Rule((head,), body, name, computed=in_order_of_use(body, computed), line=self._rule.line))
        return Atom(relation_of_part, tuple(found.values()))

    def _term_of(self, node: Node, found: dict[Variable, Term], computed: list[Computed]) -> Term:
        """Return the term that stands for `node` in the body of a part. `node` is a node of the part's triple pattern.

        A triple term becomes a new variable; any other node stays as it is. For a triple term, the expressions that
        take it apart are added to `computed`, and their results to `found`. `found` maps each variable of the part's
        head to the term that the rule has in its place. So the rule compares these terms with the results. The part
        must not compare them: it would tell apart terms that owl:sameAs makes equal.
        """
        if not isinstance(node, Nested):
            assert not isinstance(node, Blank)
            return node
        triple = self._fresh("triple")
        for opener, inner in zip(OPENERS, node, strict=True):
            if isinstance(inner, Nested):
                place = len(computed)
                variable = self._term_of(inner, found, computed)
                assert isinstance(variable, Variable)
                computed.insert(place, Computed((opener, "(", triple, ")"), variable))
            else:
                assert not isinstance(inner, Blank)
                is_new = isinstance(inner, Variable) and inner not in found
                variable = inner if is_new and isinstance(inner, Variable) else self._fresh(opener.lower())
                found[variable] = inner
                computed.append(Computed((opener, "(", triple, ")"), variable))
        return triple

    def _not(self, absent: Absent, bound: set[Variable]) -> Not:
        """Turn the NOT of an abstract rule into a `Not`.

        `bound` are the variables that elements before the NOT bind; all others become local variables.
        """
        own: dict[Variable, Variable] = {}
        for variable in variables_mentioned(absent.elements):
            if variable not in bound:
                own[variable] = self._fresh(variable.name) if variable in self._outer else variable
        self._outer.update(own)
        is_data = absent.is_data or self._rule.is_data
        atoms, computed = list[Atom](), list[Computed]()
        for element in absent.elements:
            if isinstance(element, Filter):
                computed.append(_rename(element.computed, own))
            else:
                triple: Triple = tuple(_substitute(node, own) for node in element.triple)  # type: ignore[assignment]
                atoms.append(self._atom(triple, is_data=is_data))
        return Not(tuple(dict.fromkeys(atoms)), tuple(own.values()), tuple(dict.fromkeys(computed)))

    def _fresh(self, name: str) -> Variable:
        number = 0
        while (found := Variable(f"{name}{number or ''}")) in self._used:
            number += 1
        self._used.add(found)
        return found

    # the head

    def _heads(self) -> tuple[Atom, ...]:
        row = tuple(
            dict.fromkeys(
                variable
                for element in self._rule.body
                if isinstance(element, (Pattern, Assignment))
                for variable in variables_mentioned([element])
            )
        )
        made: dict[Node, Variable] = {}
        for blank in dict.fromkeys(blank for each in self._rule.head for node in each.triple for blank in blanks(node)):
            made[blank] = self._fresh("blank" if " " in blank.label else blank.label)
            arguments = [part for variable in row for part in (",", variable)]
            label = f'"{len(made)}"'
            self._computed.append(Computed(("SKOLEM", "(", label, *arguments, ")"), made[blank]))
        atoms = (Atom(None, tuple(self._new_term(node, made) for node in each.triple)) for each in self._rule.head)
        return tuple(dict.fromkeys(atoms))

    def _new_term(self, node: Node, made: dict[Node, Variable]) -> Term:
        """Return the term of our rules for a node of a head.

        A blank node, or a triple term with variables, becomes a variable. `made` maps these nodes to their variables.
        If a triple term is not in `made`, it is added, and the rule gets an expression that makes the triple term.
        """
        if isinstance(node, (Variable, str)):
            return node
        if node not in made:
            assert isinstance(node, Nested)
            parts = [part for inner in node for part in (",", self._new_term(inner, made))]
            made[node] = self._fresh("triple")
            self._computed.append(Computed(("TRIPLE", "(", *parts[1:], ")"), made[node]))
        return made[node]


def _substitute(node: Node, names: Mapping[Variable, Variable]) -> Node:
    if isinstance(node, Nested):
        return Nested(*(_substitute(part, names) for part in node))
    return names.get(node, node) if isinstance(node, Variable) else node


def _rename(computed: Computed, names: Mapping[Variable, Variable]) -> Computed:
    parts = (names.get(part, part) if isinstance(part, Variable) else part for part in computed.parts)
    return computed._replace(parts=tuple(parts))


def _constant_of(node: Node, digest: str) -> Constant:
    """Return the constant for a term of a DATA block.

    Labels of blank nodes contain `digest`, so that they differ from the labels of other texts.
    """
    if isinstance(node, Nested):
        return f"<<( {' '.join(_constant_of(part, digest) for part in node)} )>>"
    if isinstance(node, Blank):
        return f"_:{digest}n{node.label.strip()}" if " " in node.label else f"_:{digest}x{node.label}"
    assert isinstance(node, str)
    return node


def _with_new_labels(rule: Rule, digest: str) -> Rule:
    def atom(found: Atom) -> Atom:
        if found.relation is None or not found.relation.startswith(PART):
            return found
        return Atom(f"{PART}{digest}_{found.relation.removeprefix(PART)}", found.terms)

    def labelled(found: Computed) -> Computed:
        if found.parts[0] != "SKOLEM":
            return found
        label = f'"{digest}-{str(found.parts[2])[1:]}'
        return found._replace(parts=(*found.parts[:2], label, *found.parts[3:]))

    return replace(
        rule,
        heads=tuple(map(atom, rule.heads)),
        body=tuple(map(atom, rule.body)),
        negated=tuple(each._replace(atoms=tuple(map(atom, each.atoms))) for each in rule.negated),
        computed=tuple(map(labelled, rule.computed)),
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]
