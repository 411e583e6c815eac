"""`inference_rules`: the rules of a shapes graph (SHACL-AF, 8) as rules that make triples.

    :S sh:targetClass :C ; sh:rule [ a sh:TripleRule ; sh:condition :D ;
                                     sh:subject sh:this ; sh:predicate :p ; sh:object [ sh:path :q ] ]

    shacl_runs(rule, ?x)             the targets of :S that conform to :D
    shacl_made(order, ?x, :p, ?v)    for each value ?v of the expression

A rule runs for the targets of its shape that conform to all conditions, in one pass by sh:order (`orders`). A shape or
a rule whose sh:deactivated is true makes nothing. Laws: a rule never sees what a rule of its order makes; with
`is_iterated` all rules are one fixpoint.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kgreason.datatypes.literals import parts_of_literal
from kgreason.errors import ShapesError
from kgreason.interrupts import let_out
from kgreason.rules.model import Atom, Rule
from kgreason.shapes.focus import write_targets
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.inference.expressions import NodeExpressions
from kgreason.shapes.inference.orders import MADE, exports, number, pattern_of, rules_of_order, with_own_relations
from kgreason.shapes.paths import Paths
from kgreason.shapes.query.compiler import Compiler
from kgreason.shapes.query.forms import read_construct
from kgreason.shapes.query.sources import prefixes_of, query_of
from kgreason.shapes.shape import Shape, own_targets, targets_of
from kgreason.shapes.vocabulary import TRUE, sh
from kgreason.shapes.writer import Writer

Add = Callable[[str, str], None]
Conditions = Callable[[Iterable[str], Paths, Add], None]
"""Adds the rules of shapes that are asked."""
ITERATED = "<urn:kgreason:iterated-rules>"
"""The value of sh:entailment with which the rules of a shapes graph are one fixpoint."""


_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ShapeRule(NamedTuple):
    """A rule of the shapes graph, of the shape `shape`."""

    shape: str
    node: str
    order: float


def inference_rules(
    graph: ShapesGraph, conditions: Conditions, parsed: Callable[[str, str], Rule], *, is_iterated: bool
) -> list[Rule]:
    """Return the rules for all sh:rule of a shapes graph; `parsed` reads the name and the text of one.

    Raises ShapesError.
    """
    several = list(_rules(graph))
    orders = [0.0] if is_iterated else sorted({each.order for each in several})
    by_order = list[list[Rule]]()
    for place, order in enumerate(orders if several else ()):
        let_out()
        chosen = [each for each in several if is_iterated or each.order == order]
        by_order.append(_OrderWriter(graph, place, conditions, parsed).rules(chosen))
    patterns = [[_pattern(rule) for rule in rules if rule.heads[0].relation == MADE] for rules in by_order]
    moved = list[Rule]()
    for place, rules in enumerate(by_order):
        let_out()
        later = [] if is_iterated else [pattern for each in patterns[place:] for pattern in each]
        moved += rules_of_order(place, rules, list(dict.fromkeys(later)))
    return [*moved, *exports(moved)]


def _pattern(rule: Rule) -> Atom:
    return pattern_of(Atom(None, rule.heads[0].terms[1:]))


def _rules(graph: ShapesGraph) -> Iterator[ShapeRule]:
    for shape, predicate, node in graph.triples:
        if predicate != sh("rule") or TRUE in (graph.one(shape, "deactivated"), graph.one(node, "deactivated")):
            continue
        yield ShapeRule(shape, node, _order(graph, shape, node))


def _order(graph: ShapesGraph, shape: str, node: str) -> float:
    """Return the sh:order of a rule. Raises ShapesError if it is no finite number."""
    if (order := graph.one(node, "order")) is None:
        return 0.0
    text = parts_of_literal(order).lexical if order.startswith('"') else ""
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        shown = order if len(order) < 100 else f"{order[:50]}..."
        raise ShapesError(f"{shape}: {node}: sh:order needs a number; got {shown}")
    return float(text)


class _Texts:
    """Texts of rules, each with its name, and their paths."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], None] = {}
        self.paths = Paths(self.add)

    def add(self, name: str, text: str) -> None:
        """Add a rule."""
        let_out()
        self._found[name, text] = None

    def rules(self, parsed: Callable[[str, str], Rule]) -> list[Rule]:
        """Return the rules."""
        return [parsed(name, text) for name, text in self._found]


class _OrderWriter:
    """Writes the rules of one order, the one with the number `place`.

    Targets, conditions and each shape that an expression asks have relations of their own (`with_own_relations`): what
    an expression asks depends on conditions, and these on targets, so they must not share the starts of a path.
    """

    def __init__(
        self, graph: ShapesGraph, place: int, conditions: Conditions, parsed: Callable[[str, str], Rule]
    ) -> None:
        self._graph, self._place, self._conditions, self._parsed = graph, place, conditions, parsed
        self._own = _Texts()
        self._paths, self._add = self._own.paths, self._own.add
        self._asked = list[str]()
        self._apart = list[str]()

    def rules(self, several: Iterable[ShapeRule]) -> list[Rule]:
        """Return the rules for rules of the shapes graph, and for what they ask."""
        chosen, own = list(several), own_targets(self._graph)
        targets = _Texts()
        for shape in dict.fromkeys(each.shape for each in chosen):
            holder = Shape(shape, None, targets_of(self._graph, shape, own), sh("Violation"), is_deactivated=False)
            write_targets(Writer(holder, self._graph, targets.paths, targets.add), "shacl_focus")
        for each in chosen:
            self._run_condition(each)
            if self._graph.objects(each.node, sh("construct")):
                self._construct(each)
            elif all(self._graph.objects(each.node, sh(name)) for name in ("subject", "predicate", "object")):
                self._triple(each)
            else:
                raise ShapesError(
                    f"{each.node}: a rule needs a sh:construct, or sh:subject, sh:predicate and sh:object"
                )
        found = [*self._own.rules(self._parsed), *with_own_relations("target", targets.rules(self._parsed))]
        for name, asked in (
            ("condition", self._asked),
            *((str(place), [shape]) for place, shape in enumerate(self._apart)),
        ):
            texts = _Texts()
            self._conditions(asked, texts.paths, texts.add)
            found += with_own_relations(name, texts.rules(self._parsed))
        return found

    def _run_condition(self, rule: ShapeRule) -> None:
        atoms = [f"shacl_focus_target({rule.shape}, ?x)"]
        for shape in self._graph.objects(rule.node, sh("condition")):
            self._asked.append(shape)
            self._add("sh-condition", f"shacl_focus_condition({shape}, ?x) :- {atoms[0]} .")
            atoms.append(f"NOT shacl_fails_condition({shape}, ?x)")
        self._add("sh-condition", f"{_run_condition(rule)} :- {', '.join(atoms)} .")

    def _ask(self, shape: str, body: str) -> str:
        place = len(self._apart)
        self._apart.append(shape)
        self._add("sh-filterShape", f"shacl_focus_{place}({shape}, ?v) :- {body} .")
        return f"shacl_fails_{place}"

    def _triple(self, rule: ShapeRule) -> None:
        graph, terms, atoms = self._graph, list[str](), [_run_condition(rule)]
        expressions = NodeExpressions(
            rule.shape, rule.node, _run_condition(rule), graph, self._paths, self._add, self._ask
        )
        for name, variable in (("subject", "?s"), ("predicate", "?p"), ("object", "?o")):
            node = graph.one(rule.node, name)
            assert node is not None
            term, inner = expressions.term(node, variable)
            terms.append(term)
            atoms += inner
        self._make(rule, terms, atoms)

    def _construct(self, rule: ShapeRule) -> None:
        graph = self._graph
        text = query_of(graph, rule.node, "construct")
        assert text is not None
        template, group = read_construct(text, rule.node)
        bound = {"currentShape": rule.shape}
        prefixes = dict(prefixes_of(graph, rule.node))
        compiler = Compiler(rule.node, _run_condition(rule), bound, prefixes, self._paths, self._add)
        for body in compiler.template(template, group):
            for terms in body.heads:
                self._make(rule, terms, filter(None, [_run_condition(rule), body.text]))

    def _make(self, rule: ShapeRule, terms: Sequence[str], body: Iterable[str]) -> None:
        """Add the rule that makes a triple. A triple with a literal as its subject is none."""
        atoms = list(body)
        for place, test in ((0, "!isLiteral"), (1, "isIRI")):
            if terms[place].startswith("?"):
                atoms.append(f"FILTER({test}({terms[place]}))")
            elif not terms[place].startswith("<" if place else ("<", "_:")):
                raise ShapesError(f"{rule.node}: {terms[place]} cannot be the {('subject', 'predicate')[place]}")
        self._add("sh-rule", f"{MADE}({number(self._place)}, {', '.join(terms)}) :- {', '.join(atoms)} .")


def _run_condition(rule: ShapeRule) -> str:
    """Return the atom that holds for the nodes for which a rule runs."""
    return f"shacl_runs({rule.node}, ?x)"
