"""`QuerySpeller`: how triples are written that a CONSTRUCT makes of triples of the graph, with another predicate.

    CONSTRUCT { ?s :m ?o } WHERE { ?s :n ?o }
    Oxigraph's triple    :b :m 7                  the graph has    :b :n "07"^^xsd:int
    written              :b :m "07"^^xsd:int

Law: a triple that the graph does not have is written as the triple that gave its object, if the query says so: the
object is a variable that a pattern binds in each solution, with the same subject and a constant predicate. Any other
triple stays as Oxigraph gives it: computed objects, other subjects, patterns inside of OPTIONAL and UNION. "The graph"
is the one that the query reads. If a query reads several, a triple in several spellings stays as Oxigraph gives it.

Cost: nothing if the graph has the triples; otherwise that of `origins`, once for each answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from pyoxigraph import BlankNode, NamedNode, Triple

from kgreason.errors import KgreasonError
from kgreason.sparql.query.evaluation import insert_of_construct
from kgreason.sparql.query.reads import graphs_of

SpellIn: TypeAlias = Callable[[Sequence[Triple], str | None], Sequence[Sequence[Triple]]]
"""Takes triples and the name of a graph as text, or None for the closure. Returns for each triple what the graph has in
its place: nothing if it lacks the triple."""


class QuerySpeller:
    """Spells the triples of one query. `spell_in` spells triples that a graph has.

    `default_graphs` are the graphs that the query reads in place of the default graph; None if nobody names any.
    """

    def __init__(
        self,
        spell_in: SpellIn,
        query: str,
        prefixes: Mapping[str, str],
        base: str | None,
        default_graphs: Sequence[NamedNode | BlankNode] | None = None,
    ) -> None:
        self._spell_in, self._asked, self._default_graphs = spell_in, (query, prefixes, base), default_graphs

    def spell(self, triples: Sequence[Triple]) -> Sequence[Sequence[Triple]]:
        """Return for each of the `triples` how it is written."""
        found = list(self._spell_in_graph(triples))
        given = [
            (place, Triple(triple.subject, predicate, triple.object))
            for place, triple in enumerate(triples)
            if not found[place]
            for predicate in self._predicates.get(triple.predicate, ())
        ]
        more = defaultdict[int, dict[Triple, None]](dict)
        for (place, _), some in zip(given, self._spell_in_graph([triple for _, triple in given]), strict=True):
            subject, predicate, _ = triples[place]
            more[place] |= {Triple(subject, predicate, each.object): None for each in some}
        for place, each in more.items():
            found[place] = list(each)
        return [each or [triple] for each, triple in zip(found, triples, strict=True)]

    def _spell_in_graph(self, triples: Sequence[Triple]) -> Sequence[Sequence[Triple]]:
        """Return what the graph has in place of `triples`. If several graphs differ, a triple stays."""
        if not triples:
            return []
        names = self._graphs
        found = self._spell_in(triples, names[0] if len(names) == 1 else None)
        if len(names) == 1:
            return found
        return [each if len(each) < 2 else [triple] for each, triple in zip(found, triples, strict=True)]

    @cached_property
    def _graphs(self) -> Sequence[str | None]:
        return graphs_of(*self._asked, self._default_graphs)

    @cached_property
    def _predicates(self) -> Mapping[NamedNode, set[NamedNode]]:
        """For a predicate of the template, the predicates of the patterns that give the objects."""
        from lark.exceptions import UnexpectedInput

        try:
            return _predicates(*self._asked)
        except (KgreasonError, UnexpectedInput, SyntaxError):  # nothing is known
            return {}


def _predicates(query: str, prefixes: Mapping[str, str], base: str | None) -> dict[NamedNode, set[NamedNode]]:
    from kgreason.graph.sparql_update.origins import origins_of
    from kgreason.sparql.operations import Modify
    from kgreason.sparql.parser import parse
    from kgreason.sparql.template import placeholder

    update = insert_of_construct(query)
    if update is None:
        return {}
    [operation] = parse(update, prefixes=prefixes, base=base)
    assert isinstance(operation, Modify)
    template = operation.added
    of = origins_of(operation.select, template.objects).by_variable
    names: dict[object, str] = {placeholder(name): name for name in template.variables}
    found = defaultdict[NamedNode, set[NamedNode]](set)
    for quad in template.quads:
        subject = f"?{names[quad.subject]}" if quad.subject in names else str(quad.subject)
        for origin in of.get(names.get(quad.object, ""), ()):
            if not origin.marks and origin.subject == subject and origin.predicate and origin.predicate[0] == "<":
                found[quad.predicate].add(NamedNode(origin.predicate[1:-1]))
    return dict(found)
