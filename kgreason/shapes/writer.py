"""`Writer`: writes the rules of one shape. The functions of `components` call it.

A rule has `?x` for the focus node and `value` for the value node: `?v`, or `?x` in a node shape. What violates the
shape becomes one head, as the shape is used:

    reported                shacl_result(shape, component, parameter, ?x, path, value, detail, via)
    asked                   shacl_fails(shape, ?x)
    both                    shacl_violation(...), and two rules that give both from it

Law: a fact says "fails", never "conforms". So shapes that ask each other in a circle have a least model, unless they
ask through a negation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.paths import Path, Paths
from kgreason.shapes.shape import Shape
from kgreason.shapes.vocabulary import NONE, RESULT, sh
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote

Add = Callable[[str, str], None]


class Writer:
    """Writes the rules of `shape`, which is in `graph`. `add` adds a rule: its name, and its text."""

    def __init__(self, shape: Shape, graph: ShapesGraph, paths: Paths, add: Add) -> None:
        self.shape, self.graph, self.paths, self.add = shape, graph, paths, add
        self.node = shape.node
        self._holder = shape.same_nodes or shape
        self.focus = f"shacl_focus({self._holder.node}, ?x)"
        """The atom that holds for the nodes that are validated."""
        self.value = "?x" if shape.path is None else "?v"
        self.path = None if shape.path is None else self.leads_to(self.value)
        """The atom that leads to a value node; None in a node shape."""

    def leads_to(self, end: str) -> str:
        """Return the atom that holds if `end`, a variable or a term, is a value node of a property shape."""
        assert self.shape.path is not None
        return self.paths.follow(self.shape.path.normal_form(), self.focus, "?x", end)

    @property
    def values(self) -> list[str]:
        """The atoms that lead from a focus node to its value nodes."""
        return [] if self.path is None else [self.path]

    def violation(
        self,
        name: str,
        parameter: str,
        body: Iterable[str],
        *,
        value: str = NONE,
        path: str | None = None,
        detail: str = NONE,
    ) -> None:
        """Add a rule for what violates the component `name`: `body` are atoms, filters and negations.

        `parameter` is the value of the component's parameter; the other arguments are places of the result. The path is
        that of the shape, unless there is another one.
        """
        shape, inner = self.shape, list(body)
        places = (self.node, component(name), parameter, "?x", path or _term(shape.path), value, detail, shape.severity)
        terms = ", ".join(places)
        if shape.is_reported and shape.is_asked:
            head, atoms = f"shacl_violation({terms})", [self.focus, *inner]
        elif shape.is_asked:
            head, atoms = f"shacl_fails({self.node}, ?x)", [self.focus, *inner]
        else:
            atom, via = self.report_condition()
            head, atoms = f"{RESULT}({terms}, {via})", [atom, *inner]
        rule = "sh-component" if name.startswith("<") else f"sh-{name}"
        self.add(rule, f"{head} :- {', '.join(atoms)} .")

    def report_condition(self) -> tuple[str, str]:
        """Return the atom that holds for nodes whose violations are results, and the term for the route."""
        holder = self._holder
        if any(kind == "property" for kind, parent in holder.uses if parent.is_reported):
            return f"shacl_reported({holder.node}, ?x, ?via)", "?via"
        return target(holder), holder.node

    def finish(self) -> None:
        """Add the rules that make results and failures of violations, if the shape has both."""
        if self.shape.is_reported and self.shape.is_asked:
            places = "?component, ?parameter, ?x, ?path, ?value, ?detail, ?severity"
            violation, (atom, via) = f"shacl_violation({self.node}, {places})", self.report_condition()
            self.add("sh-result", f"{RESULT}({self.node}, {places}, {via}) :- {violation}, {atom} .")
            self.add("sh-fails", f"shacl_fails({self.node}, ?x) :- {violation} .")

    def instances(self, class_: str) -> str:
        """Return the atom that holds if `?c` is a class or below it. The class hierarchy is that of the data."""
        below = f"shacl_class({class_}, ?c)"
        self.add("sh-class", f"shacl_class({class_}, {class_}) .")
        self.add("sh-class", f"shacl_class({class_}, ?d) :- {below}, [?d, {v.RDFS_SUB_CLASS_OF}, ?c] .")
        return below

    def members(self, name: str, terms: Iterable[str]) -> None:
        """Add facts: the `terms` are the members of the list `name`."""
        for term in terms:
            self.add("sh-list", f"shacl_member({name}, {term}) .")


def target(shape: Shape) -> str:
    """Return the atom that holds for the targets of a shape: its focus nodes, if nothing else uses the shape."""
    return f"{target_relation(shape)}({shape.node}, ?x)"


def target_relation(shape: Shape) -> str:
    """Return the relation of the targets of a shape."""
    return "shacl_target" if shape.uses or shape.is_condition else "shacl_focus"


def _term(path: Path | None) -> str:
    """Return the term for a path: a predicate is an IRI, and any other path a string."""
    if path is None:
        return NONE
    return path.predicate if not path.kind else quote(str(path))


def component(name: str) -> str:
    """Return the constraint component with a parameter; an IRI is a component of the shapes graph itself.

    >>> component("minCount")
    '<http://www.w3.org/ns/shacl#MinCountConstraintComponent>'
    """
    if name.startswith("<"):
        return name
    name = "SPARQL" if name == "sparql" else name
    return sh(f"{name[0].upper()}{name[1:]}ConstraintComponent")
