"""`Compiler`: a group of a query as bodies of rules.

    group -> alternatives -> CONSTRUCT { ... } WHERE { one alternative } -> a rule (`rules.parser`), and its body

Terms of the query stand for what is no pattern: the focus nodes, paths, atoms of relations.

What one body cannot say becomes a relation, `shacl_rows(query, columns)`: EXISTS, sub-SELECT with DISTINCT or GROUP BY,
and NOT EXISTS of more than patterns and filters.

Law: without DISTINCT two solutions are two bodies or two rows: `row` tells them apart by the values of all variables
that are not projected. But two ways along one path between the same nodes are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from kgreason.errors import RuleError, ShapesError
from kgreason.interrupts import let_out
from kgreason.rules.formatter import format_atom, format_computed
from kgreason.rules.model import Atom, Computed, Not, Rule, Term, Variable
from kgreason.rules.parser import parse
from kgreason.rules.safety import bound_terms
from kgreason.shapes.paths import Path, Paths
from kgreason.shapes.query.alternatives import UNBOUND, Alternative, never_errs, surely_errs, without_values
from kgreason.shapes.query.forms import SelectForm, select_of
from kgreason.shapes.query.grouping import calls, grouped_alternatives
from kgreason.shapes.query.groups import (
    Bind,
    Condition,
    Existence,
    FromGraph,
    Group,
    Optional,
    SubSelect,
    Triples,
    Union,
)
from kgreason.shapes.query.paths import PathTerms
from kgreason.shapes.query.tokens import is_variable, replace_variables, variables
from kgreason.shapes.vocabulary import NONE, ROWS, SHAPE, rows
from kgreason.terms.quoting import quote

FOCUS, ATOM = "<urn:kgreason:focus>", "urn:kgreason:atom"
_EMPTY = Alternative()
_MOST, _MOST_OF_ALL, _MOST_CHARACTERS = 256, 1024, 20_000
"""How many alternatives a group may have, and all groups of a query: a group in others counts for each of theirs."""


class Body(NamedTuple):
    """A body of a rule: atoms, filters and negations as text, with `?x` for $this and `?q_name` for other variables.

    `names` are the variables that have values; `row` is the term that tells a solution from others, or NONE.
    """

    text: str
    names: frozenset[str]
    row: str = NONE
    heads: tuple[tuple[str, ...], ...] = ()
    """The terms of the triples that a CONSTRUCT query makes."""


class Compiler:
    """Compiles the groups of one query.

    - `name` names the query in messages and tells its rows from those of other queries
    - `start` is the atom that holds for the focus nodes; "" if nothing binds $this before the query
    - `constants` are the terms of variables that are bound before; `path` is what $PATH stands for
    """

    def __init__(
        self,
        name: str,
        start: str,
        constants: Mapping[str, str],
        prefixes: dict[str, str],
        paths: Paths,
        add: Callable[[str, str], None],
        path: Path | None = None,
    ) -> None:
        if sum(map(len, (*constants.values(), *prefixes.values()))) > _MOST_CHARACTERS:
            what = "the namespaces of the query and the values of its parameters"
            raise ShapesError(f"{name}: {what} have more than {_MOST_CHARACTERS:,} characters")
        self.where, self._start, self._paths, self._add = name, start, paths, add
        self._key = " ".join([name, start, *(f"{each} {term}" for each, term in sorted(constants.items()))])
        self._terms = PathTerms(prefixes, name)
        self._declared = "".join(f"PREFIX {prefix}: <{space}>\n" for prefix, space in prefixes.items())
        self._atoms = list[tuple[str, tuple[str, ...]]]()
        self._number = self._made = 0
        self._constants = {each: term or " ".join(UNBOUND) for each, term in constants.items()}
        self._first = ["?this", FOCUS, FOCUS, "."] if start else []
        if path is not None:
            self._terms.paths["<urn:kgreason:path:own>"] = path
            self._constants["PATH"] = "<urn:kgreason:path:own>"
        for each, term in constants.items():
            if term.startswith("_:"):  # a query cannot name a blank node: it is the member of a list of its own
                add("sh-list", f"shacl_member({quote(term)}, {term}) .")
                del self._constants[each]
                self._first += self.atom("shacl_member", (quote(term),), (f"?{each}",))
        self._bound = frozenset(
            name for name in (*constants, "this" if start else "", "PATH", "shapesGraph") if name
        ) - {name for name, term in constants.items() if not term}

    def bodies(self, group: Group, projected: Iterable[str], *, is_distinct: bool = True) -> Iterator[Body]:
        """Yield a body for each alternative of a group, in which the names `projected` are needed."""
        return self._bodies(self.alternatives(group), frozenset(projected), is_distinct=is_distinct)

    def select(self, form: SelectForm) -> Iterator[Body]:
        """Yield the bodies of a SELECT query."""
        wanted = frozenset(form.names)
        if form.by or _is_grouped(form):
            return self._bodies(grouped_alternatives(self, form), wanted, is_distinct=form.is_distinct)
        binds = (Bind(list(item.expression), item.name) for item in form.items if item.expression)
        return self._bodies(self.alternatives((*form.group, *binds)), wanted, is_distinct=form.is_distinct)

    def _bodies(self, several: list[Alternative], wanted: frozenset[str], *, is_distinct: bool) -> Iterator[Body]:
        for number, found in enumerate(several):
            let_out()
            rule = self._rule(found, sorted(wanted & (found.names | {"this"})))
            text, names = self._text(rule), wanted | {"this"}
            others = sorted(
                str(each) for each in bound_terms(rule) if isinstance(each, Variable) and each.name not in names
            )
            row = NONE
            if not is_distinct and (others or number):
                row = "?row"
                text += f', BIND(SKOLEM("row {number}", {", ".join(["?x", *map(_rule_variable, others)])}) AS ?row)'
            yield Body(text, found.names & wanted, row)

    def alternatives(self, group: Group) -> list[Alternative]:
        """Return the alternatives of a group. Raises ShapesError."""
        found, conditions = [_EMPTY], list[Existence]()
        for element in group:
            match element:
                case Triples(tokens):
                    inner = self._terms.replace_paths(self.fill(tokens))
                    text = (*inner, *([] if not inner or inner[-1] == "." else ["."]))
                    found = [each.joined(Alternative(text, names=frozenset(variables(inner)))) for each in found]
                case Condition(tokens):
                    test = Alternative(filters=(tuple(self.fill(tokens)),))
                    found = [each.joined(test) for each in found]
                case Bind(tokens, name):
                    found = [one for each in found for one in self.bind(each, tokens, name)]
                case Existence():
                    conditions.append(element)
                case Union(groups):
                    parts = self._check_count(part for one in groups for part in self.alternatives(one))
                    parts = [part._replace(inner=(*part.inner, part)) for part in parts]
                    found = self._check_count(each.joined(part) for each in found for part in parts)
                case Optional(inner_group):
                    found = self._check_count(one for each in found for one in self._optional(each, inner_group))
                case FromGraph(term, inner_group):
                    found = [each.joined(self._graph(term, inner_group)) for each in found]
                case SubSelect(tokens):
                    parts = self._sub_select(tokens)
                    found = self._check_count(each.joined(part) for each in found for part in parts)
        for condition in conditions:
            found = self._check_count(self._condition(each, condition) for each in found)
        self._made += len(found)
        return self._check_count(found)

    def _check_count(self, several: Iterable[Alternative]) -> list[Alternative]:
        """Return alternatives as a list. Raises ShapesError if the group or the query has too many."""
        found = list[Alternative]()
        for each in several:
            let_out()
            found.append(each)
            if len(found) > _MOST or self._made > _MOST_OF_ALL:
                raise ShapesError(
                    f"{self.where}: the query has too many OPTIONALs or UNIONs: each OPTIONAL doubles the rules of its"
                    f" group; a group may have {_MOST} rules, and all groups of the query {_MOST_OF_ALL:,}"
                )
        return found

    def bind(self, left: Alternative, tokens: Iterable[str], name: str) -> Iterator[Alternative]:
        """Yield `left` with the value of an expression as a variable, and without a value where the expression errs."""
        missing, filled, names = left.unbound - left.names, self.fill(tokens), frozenset([name])
        expression = tuple(without_values(filled, missing))
        bind = Alternative(("BIND", "(", *expression, "AS", f"?{name}", ")"), names=names, binds=names)
        if never_errs(expression, left.names | self._bound):
            yield left.joined(bind)
            return
        errs = ("sameTerm", "(", "COALESCE", "(", *expression, ",", NONE, ")", ",", NONE, ")")
        if not surely_errs(filled, missing):
            yield left.joined(bind._replace(filters=(("!", *errs),)))  # a BIND whose variable nobody reads is no test
        yield left.joined(Alternative(filters=(errs,), unbound=names))

    def row(self, key: str, names: Iterable[str]) -> list[str]:
        """Return patterns that stand for an atom of rows, whose columns are variables of the query."""
        several = [f"?{name}" for name in names]
        return self.atom(f"{ROWS}{len(several) + 1}", (key,), several)

    def atom(self, relation: str, first: tuple[str, ...], terms: Iterable[str]) -> list[str]:
        """Return patterns that stand for the atom `relation(first, terms)`; the terms are as in a query."""
        self._atoms.append((relation, first))
        number = len(self._atoms) - 1
        several, found = list(terms), list[str]()
        if not several:
            raise ShapesError(f"{self.where}: a group of the query shares no variable with what is around it")
        for place, term in enumerate(several):
            found += [f"<{ATOM}>", f"<{ATOM}:{number}:{place}>", term, "."]
        return found

    def relation(
        self, columns: Iterable[str], found: Iterable[Alternative], *, left: Alternative = _EMPTY
    ) -> list[str]:
        """Make a relation of the values that alternatives, each after `left`, give to columns. Returns its patterns.

        Raises ShapesError if an alternative gives a column no value.
        """
        names, key = sorted(set(columns)), self.key()
        for each in found:
            both = left.joined(each)
            if missing := set(names) - both.names - {"this"} - self._blanks():
                raise ShapesError(f"{self.where}: ?{min(missing)} may have no value where the query needs one")
            rule = self._rule(both, names)
            self.add(rows(key, *(_rule_variable(f"?{name}") for name in names)), self._text(rule))
        return self.row(key, names)

    def key(self) -> str:
        """Return the term of a new relation of rows."""
        self._number += 1
        return quote(f"{self._key} {self._number}")

    def add(self, head: str, *body: str) -> None:
        """Add a rule of a relation of rows, for the focus nodes."""
        atoms = ", ".join(filter(None, [self._start, *body]))
        self._add("sh-rows", f"{head} :- {atoms} ." if atoms else f"{head} .")

    def body_of(self, found: Alternative, needed: Iterable[str]) -> str:
        """Return the body of an alternative, without the atom for the focus nodes."""
        return self._text(self._rule(found, sorted(needed)))

    def template(self, tokens: list[str], group: Group) -> Iterator[Body]:
        """Yield the heads and the body of a CONSTRUCT query for each alternative; its blank nodes are made by SKOLEM.

        A triple of the template with a variable without a value is left out.
        """
        names = variables(tokens)
        for found in self.alternatives(group):
            let_out()
            missing = sorted(names - found.names - self._bound)
            pretended = tuple(token for name in missing for token in (f"<{ATOM}>", FOCUS, f"?{name}", "."))
            without = {Variable(name) for name in missing}
            rule = self._parse_rule(" ".join(self.fill(tokens)), found, pretended)
            rule = replace(rule, computed=tuple(_skolem_without(each, without) for each in rule.computed))
            heads = tuple(
                tuple(map(self._term_text, head.terms)) for head in rule.heads if without.isdisjoint(head.terms)
            )
            yield Body(self._text(rule), found.names, heads=heads)

    # groups

    def _optional(self, left: Alternative, group: Group) -> Iterator[Alternative]:
        parts = self.alternatives(group)
        for part in parts:
            yield left.joined(part)
        names = frozenset[str]().union(*(part.names | part.unbound for part in parts)) - left.names
        absent = self._not_exists(left, group)
        yield left.joined(Alternative(absent=absent, unbound=names - {"this"}))

    def _condition(self, left: Alternative, condition: Existence) -> Alternative:
        if condition.is_negated:
            return left.joined(Alternative(absent=self._not_exists(left, condition.group)))
        parts = self.alternatives(condition.group)
        shared = frozenset[str]().union(*(part.variables() for part in parts)) & (left.names | self._bound)
        local = [self._with_local_names(part, left) for part in parts]
        return left.joined(Alternative(tuple(self.relation(shared - set(self._constants), local, left=left))))

    def _not_exists(self, left: Alternative, group: Group) -> tuple[tuple[str, ...], ...]:
        """Return a NOT EXISTS for each alternative of a group: no solution of `left` has one of it."""
        found = list[tuple[str, ...]]()
        for part in self.alternatives(group):
            inner = self._with_local_names(part, left)
            if inner.absent or inner.binds or inner.inner:
                shared = inner.variables() & (left.names | self._bound) - set(self._constants)
                tokens = self.relation(shared, [inner], left=left)
            else:
                tokens = inner.tokens()
            found.append(("FILTER", "NOT", "EXISTS", "{", *tokens, "}"))
        return tuple(found)

    def _with_local_names(self, part: Alternative, left: Alternative) -> Alternative:
        """Rename the variables of a group that are no variables outside of it. One without a value makes an error."""
        outside = left.names | self._bound
        self._number += 1
        missing = part.variables() - part.names - outside
        ends = f"_{self._number}"
        renamed = part.renamed(lambda name: None if name in outside else f"{name}{ends}")
        return renamed._replace(unbound=renamed.unbound | {f"{name}{ends}" for name in missing})

    def _graph(self, term: str, group: Group) -> Alternative:
        """Return the patterns of `GRAPH $shapesGraph`: its triples are facts of a relation."""
        if not (is_variable(term, "shapesGraph") and self._start):
            raise ShapesError(f"{self.where}: GRAPH is supported with $shapesGraph alone")
        parts = self.alternatives(group)
        if len(parts) != 1 or parts[0].absent or parts[0].binds:
            raise ShapesError(f"{self.where}: GRAPH is supported with patterns and FILTER alone")
        (part,) = parts
        plain = Alternative(part.patterns)
        found = list[str]()
        for atom in self._rule(plain, []).body if part.patterns else ():
            relation, terms = self._placed(atom)
            if relation is None and atom.terms[1] == FOCUS:
                continue
            if relation is not None or str(atom.terms[1]).startswith("<urn:kgreason:path:"):
                raise ShapesError(f"{self.where}: a path is not supported in GRAPH")
            found += self.atom(SHAPE, (), map(str, terms))
        return part._replace(patterns=tuple(found), names=part.names | variables(found))

    def _sub_select(self, tokens: list[str]) -> list[Alternative]:
        form = select_of(tokens, self.where)
        needed = {"this"} if self._start else set()
        if missing := needed - set(form.names):
            raise ShapesError(f"{self.where}: a SELECT in the query must project ${min(missing)}")
        if form.by or _is_grouped(form):
            return grouped_alternatives(self, form)
        binds = (Bind(list(item.expression), item.name) for item in form.items if item.expression)
        parts = self.alternatives((*form.group, *binds))
        names = frozenset(form.names) | self._bound
        if form.is_distinct:
            columns = frozenset(form.names) - set(self._constants)
            by_names = dict[frozenset[str], list[Alternative]]()
            for part in parts:
                by_names.setdefault(columns & (part.names | self._blanks() | {"this"}), []).append(part)
            return [
                Alternative(tuple(self.relation(valued, several)), names=valued, unbound=columns - valued)
                for valued, several in by_names.items()
            ]
        self._number += 1
        ends = f"_{self._number}"
        hidden = [part.renamed(lambda name: None if name in names else f"{name}{ends}") for part in parts]
        return [part._replace(inner=(*part.inner, part)) for part in hidden]

    def _blanks(self) -> frozenset[str]:
        return self._bound - set(self._constants) - {"this", "shapesGraph"}

    def fill(self, tokens: Iterable[str]) -> list[str]:
        """Return tokens with the terms of variables that are bound before, in the place of these variables."""
        several, found, place = list(tokens), list[str](), 0
        while place < len(several):
            variable = several[place + 2] if place + 3 < len(several) else ""
            is_call = several[place].upper() == "BOUND" and several[place + 1] == "(" and is_variable(variable or " ")
            name = variable[1:]
            if is_call and (name in self._bound or name in self._constants):
                found.append("true" if name in self._bound else "false")
                place += 4
            else:
                found += replace_variables([several[place]], self._constants.get)
                place += 1
        return found

    # rules

    def _rule(self, found: Alternative, needed: list[str]) -> Rule:
        """Return a rule with the body of an alternative; no BIND of a variable that is needed is left out."""
        for inner in found.inner:
            self._parse_rule(f"<{ATOM}> {NONE} {NONE}", inner)
        tail = NONE
        for name in needed:
            tail = f"<<( ?{name} {NONE} {tail} )>>"
        rule = self._parse_rule(f"<{ATOM}> {NONE} {tail}", found)
        computed = tuple(each for each in rule.computed if each.parts[0] != "TRIPLE" or NONE not in each.parts)
        return replace(rule, computed=computed)

    def _parse_rule(self, head: str, found: Alternative, before: tuple[str, ...] = ()) -> Rule:
        text = " ".join([*self._first, *before, *found.tokens()])
        try:
            rules = parse(f"{self._declared}CONSTRUCT {{ {head} }} WHERE {{ {text} }}", self.where, None, syntax="rq")
            (rule,) = rules.rules
        except (RuleError, ValueError) as error:
            raise ShapesError(f"{self.where}: the query cannot be a rule: {error}") from error
        return rule

    # text of rules

    def _text(self, rule: Rule) -> str:
        """Return the body of a rule as text, with atoms and paths in the place of the terms that stand for them."""
        bound = {Variable("this")} if self._start else set[Variable]()
        atoms = self._joined(rule.body, [], bound)
        parts = [*atoms, *map(self._computed_text, rule.computed)]
        for negated in rule.negated:
            parts.append(self._not_text(negated, atoms, set(bound)))
        return ", ".join(parts)

    def _joined(self, several: Iterable[Atom], before: list[str], bound: set[Variable]) -> list[str]:
        """Return the texts of atoms, each path after what binds one of its ends. `before` are atoms that hold too."""
        plain, paths, done = list[str](), list[Atom](), set[int]()
        for atom in several:
            if atom.terms[1] in self._terms.paths:
                paths.append(atom)
                continue
            relation, terms = self._placed(atom)
            if relation is not None:
                number = int(str(atom.terms[1]).split(":")[3])
                if number not in done:
                    done.add(number)
                    plain.append(self._whole(number, several))
            elif atom.terms[1] != FOCUS:
                plain.append(self._atom_text(atom))
            bound |= {term for term in terms if isinstance(term, Variable)}
        while paths:
            atom = self._next_path(paths, bound)
            paths.remove(atom)
            start, _, end = atom.terms
            path = self._terms.paths[str(atom.terms[1])]
            if isinstance(start, Variable) and start not in bound:
                start, end, path = end, start, Path("^", (path,))
            others = [] if self._start and start == Variable("this") else [*before, *plain]
            context = ", ".join(filter(None, [self._start, *others]))
            plain.append(self._paths.follow(path.normal_form(), context, self._term_text(start), self._term_text(end)))
            bound |= atom.variables()
        return plain

    def _next_path(self, paths: list[Atom], bound: set[Variable]) -> Atom:
        for atom in paths:
            ends = atom.terms[0], atom.terms[2]
            if any(not isinstance(end, Variable) or end in bound for end in ends):
                return atom
        raise ShapesError(f"{self.where}: a path needs a start or an end that the other patterns bind")

    def _not_text(self, negated: Not, before: list[str], bound: set[Variable]) -> str:
        atoms = self._joined(negated.atoms, before, bound)
        parts = [*atoms, *map(self._computed_text, negated.computed)]
        local = [_rule_variable(str(each)) for each in negated.local]
        named = f"{', '.join(local)} IN " if local else ""
        return f"NOT EXISTS {named}({', '.join(parts)})"

    def _placed(self, atom: Atom) -> tuple[str | None, tuple[Term, ...]]:
        """Return the relation that a pattern stands for a place of, with the term there; else None and its terms."""
        if not str(atom.terms[1]).startswith(f"<{ATOM}:"):
            return None, atom.terms
        return self._atoms[int(str(atom.terms[1]).split(":")[3])][0], atom.terms[2:]

    def _whole(self, number: int, several: Iterable[Atom]) -> str:
        relation, first = self._atoms[number]
        mark = f"<{ATOM}:{number}:"
        places = sorted(
            (int(str(atom.terms[1])[len(mark) : -1]), self._term_text(atom.terms[2]))
            for atom in several
            if str(atom.terms[1]).startswith(mark)
        )
        return f"{relation}({', '.join([*first, *(text for _, text in places)])})"

    def _atom_text(self, atom: Atom) -> str:
        return format_atom(Atom(atom.relation, tuple(map(_term, atom.terms))), {})

    def _term_text(self, term: Term) -> str:
        return str(_term(term))

    def _computed_text(self, computed: Computed) -> str:
        parts = tuple(_term(part) for part in computed.parts)
        result = computed.result and _term(computed.result)
        return format_computed(Computed(parts, result), {})  # type: ignore[arg-type]


def _is_grouped(form: SelectForm) -> bool:
    return any(calls(item.expression) for item in form.items)


def _skolem_without(computed: Computed, missing: set[Variable]) -> Computed:
    """Return a SKOLEM without the arguments that have no value."""
    if computed.parts[0] != "SKOLEM" or missing.isdisjoint(computed.parts):
        return computed
    kept = [part for part in computed.parts[3:-1] if part != "," and part not in missing]
    return computed._replace(parts=(*computed.parts[:3], *(each for part in kept for each in (",", part)), ")"))


def _term(term: Term) -> Term:
    return Variable(_rule_variable(str(term))[1:]) if isinstance(term, Variable) else term


def _rule_variable(variable: str) -> str:
    """Return the variable of a rule for one of a query.

    >>> _rule_variable("?this"), _rule_variable("?value")
    ('?x', '?q_value')
    """
    return "?x" if variable == "?this" else f"?q_{variable[1:]}"
