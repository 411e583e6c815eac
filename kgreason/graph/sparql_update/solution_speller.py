"""`SolutionSpeller`: the solutions of a WHERE, with literals as they are written in the graph.

    :a :n "07"^^xsd:int .    INSERT { ?s :m ?o } WHERE { ?s :n ?o }
    Oxigraph                 ?o = 7
    as written               ?o = "07"^^xsd:int

Oxigraph has one row for all spellings of a literal, so one of its solutions may become several. `origins` names
the patterns that gave a value. Law: a value is written as in a triple of each of these patterns, so as if the WHERE
compared terms and not rows. Asserted triples go before inferred ones. If the patterns have no spelling in common, all
of them count. If the subject of a pattern is not known, one spelling counts: the first asserted one by its text.

Cost: some 20 microseconds for each value that has another spelling. If a subject is not known, one pass over the
triples for each call of `solutions`, and sorting those that have such a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from pyoxigraph import Literal, Triple

from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.state.running import Running
from kgreason.sparql.where_clause import Select, Solution
from kgreason.store.oxigraph.update import Term
from kgreason.store.spellings import may_have_spellings, normal_forms
from kgreason.zset.columns import Int32

if TYPE_CHECKING:
    from kgreason.graph.sparql_update.origins import Origin, Origins, Place

_ANY = (1 << 32) - 1
"""More than each id of a term."""

_Forms: TypeAlias = Mapping[str, list[int]]
"""The values that may be written otherwise, as texts, each with the ids of its spellings."""


class _Question(NamedTuple):
    """In which spellings does a graph have `value` as the object of a triple? An empty text stands for any term.

    `graph` is None for the closure.
    """

    subject: str
    predicate: str
    graph: str | None
    value: str


class _BoundValue(NamedTuple):
    """How a solution got the value `text` for the variable `name`: its origins, and what they ask."""

    name: str
    text: str
    origins: list[Origin]
    questions: list[list[_Question]]


class SolutionSpeller:
    """Rewrites solutions of the wider SELECT of `origins`; `select` is the SELECT without its additions."""

    def __init__(self, state: Running, select: Select, origins: Origins) -> None:
        self._state = state
        self._variables = select.variables
        self._origins = origins.by_variable
        names = [clause.removeprefix("FROM ") for clause in select.dataset if not clause.startswith("FROM NAMED")]
        self._default: list[str | None] = [*names] or [select.default_graph]
        said = [each.text for each in chain.from_iterable(origins.by_variable.values()) if each.text is not None]
        self._said = dict(zip(said, normal_forms(said), strict=True))
        """The literals in the text of the WHERE, and how Oxigraph shows them."""

    def solutions(self, some: Sequence[Solution]) -> Iterator[Solution]:
        """Yield the solutions `some` with literals as they are written."""
        forms: dict[str, list[int]] = {form: [] for form in self._said.values()}
        forms |= other_spellings(self._state, (solution[name] for solution in some for name in self._origins))
        ways = [list(self._bound_values(solution, forms)) for solution in some]
        asked = dict.fromkeys(chain.from_iterable(chain(*way.questions) for found in ways for way in found))
        answers = _Answers(self._state, list(asked), forms)
        for solution, found in zip(some, ways, strict=True):
            base = {name: solution[name] for name in self._variables}
            terms = [[term_of(text) for text in _spellings_of_value(way, answers, self._said)] for way in found]
            for chosen in product(*terms):
                yield base | {way.name: term for way, term in zip(found, chosen, strict=True)}

    def _bound_values(self, solution: Solution, forms: _Forms) -> Iterator[_BoundValue]:
        for name, origins in self._origins.items():
            value = solution[name]
            if value is not None and (text := text_of(value)) in forms:
                true = [each for each in origins if all(solution[mark] is not None for mark in each.marks)]
                yield _BoundValue(name, text, true, [list(self._questions(origin, solution, text)) for origin in true])

    def _questions(self, origin: Origin, solution: Solution, text: str) -> Iterator[_Question]:
        if origin.text is None:
            subject, predicate = (_term_at(place, solution) for place in (origin.subject, origin.predicate))
            for graph in self._default if origin.graph is None else [_term_at(origin.graph, solution)]:
                yield _Question(subject, predicate, graph, text)


def _spellings_of_value(way: _BoundValue, answers: _Answers, said: Mapping[str, str]) -> list[str]:
    """Return how the value of a variable is written, in order. `said` maps literals of the WHERE to what they show."""
    direct, loose = list[frozenset[str]](), frozenset[str]()
    for questions in way.questions:
        found = frozenset[str]().union(*map(answers.spellings_of, questions))
        if found and all(each.subject for each in questions):
            direct.append(found)
        else:
            loose |= found
    if direct:
        texts = sorted(direct[0].intersection(*direct) or direct[0].union(*direct))
        return texts[:1] if all(origin.is_single for origin in way.origins) else texts
    if loose:
        return [min(loose)]
    return [each.text for each in way.origins if each.text and said[each.text] == way.text][:1] or [way.text]


class _Answers:
    """The answers to questions about the graph `state`, with all steps so far."""

    def __init__(self, state: Running, asked: list[_Question], forms: _Forms) -> None:
        self._materializer = state.materializer
        self._forms = forms
        names = list({text for each in asked for text in (each.subject, each.predicate, each.graph or "")})
        self._ids = dict(zip(names, self._materializer.dictionary.find(names).tolist(), strict=True)) | {"": 0}
        self._found: dict[_Question, frozenset[int]] = dict.fromkeys(asked, frozenset())
        possible = [each for each in asked if all(self._ids[text] for text in each[:3] if text)]
        for is_closure in (True, False):
            some = [each for each in possible if (each.graph is None) == is_closure]
            self._look_up([each for each in some if each.subject and each.predicate], is_closure)
            self._search([each for each in some if not (each.subject and each.predicate)], is_closure)

    def spellings_of(self, question: _Question) -> frozenset[str]:
        """Return the asserted spellings, or the inferred ones if none is asserted."""
        return frozenset(self._materializer.dictionary.decode(list(self._found[question])))

    def _look_up(self, asked: Sequence[_Question], is_closure: bool) -> None:
        """Answer questions that have a subject and a predicate."""
        rows = [
            (at, self._ids[each.subject], self._ids[each.predicate], form, self._ids[each.graph or ""])
            for at, each in enumerate(asked)
            for form in self._forms[each.value]
        ]
        found = np.array(rows, dtype=np.int32).reshape(-1, 5)
        self._note_objects(asked, found[:, 0], np.ascontiguousarray(found[:, 1:]), is_closure)

    def _search(self, asked: Sequence[_Question], is_closure: bool) -> None:
        """Answer questions with an unknown subject or predicate, by a look at all triples."""
        rows = self._rows(is_closure) if asked else None
        if rows is None:
            return
        asks = [
            (at, form, *(self._ids[text or ""] for text in (each.subject, each.predicate, each.graph)))
            for at, each in enumerate(asked)
            for form in self._forms[each.value]
        ]
        owners, forms, subjects, *others = np.array(asks, dtype=np.int64).reshape(-1, 5).T
        rows = rows[np.isin(rows[:, 2], forms)]
        keys = rows[:, 2].astype(np.int64) << 32 | rows[:, 0]
        rows, keys = rows[order := np.argsort(keys)], keys[order]
        first = np.searchsorted(keys, forms << 32 | subjects)
        counts = np.searchsorted(keys, forms << 32 | np.where(subjects, subjects, _ANY), "right") - first
        asking = np.repeat(np.arange(len(owners)), counts)  # for each possible row of each question
        places = np.arange(len(asking)) - np.repeat(np.cumsum(counts) - counts - first, counts)
        kept = np.ones(len(asking), dtype=np.bool_)
        for column, wanted in zip((1, 3), others, strict=True):
            kept &= (wanted[asking] == 0) | (wanted[asking] == rows[places, column])
        self._note_objects(asked, owners[asking[kept]].astype(np.int32), rows[places[kept]], is_closure)

    def _rows(self, is_closure: bool) -> Int32 | None:
        if not is_closure:
            return self._materializer.quads.columns
        triples = self._materializer.save(is_borrowed=True).triples(self._materializer.dictionary)
        return np.column_stack([triples, np.zeros(len(triples), np.int32)]).astype(np.int32, copy=False)

    def _note_objects(self, asked: Sequence[_Question], owners: Int32, quads: Int32, is_closure: bool) -> None:
        """Note the objects of those `quads` that are there. Question `asked[owners[i]]` asks for quad i."""
        if is_closure:
            triples = np.ascontiguousarray(quads[:, :3])
            is_asserted = self._materializer.engine.facts.are_asserted(triples)
            kinds = [self._materializer.are_shown(triples) & ~is_asserted, is_asserted]
        else:
            kinds = [self._materializer.quads.holds(quads)] if self._materializer.quads.is_explicit else []
        for kind in kinds:  # what is asserted comes last, in place of the others
            found: dict[int, set[int]] = {}
            for owner, form in zip(owners[kind].tolist(), quads[kind, 2].tolist(), strict=True):
                found.setdefault(owner, set()).add(form)
            self._found.update({asked[owner]: frozenset(ids) for owner, ids in found.items()})


def other_spellings(state: Running, values: Iterable[Term | None]) -> dict[str, list[int]]:
    """Return those of the `values` that the graph may have in another spelling, with the ids of all spellings."""
    found = {text_of(value) for value in values if isinstance(value, (Literal, Triple))}
    if not (texts := list(filter(may_have_spellings, found))):
        return {}  # the first look at the spellings of a dictionary takes time
    numbers, forms = state.materializer.dictionary.find(texts).tolist(), state.spellings.of_forms(texts)
    return {
        text: ids
        for text, number, ids in zip(texts, numbers, forms, strict=True)
        if any(each != number for each in ids)
    }


def _term_at(place: Place, solution: Solution) -> str:
    """Return the term of a place in a solution, as text; an empty text if it is not known."""
    if place is None or not place.startswith("?"):
        return place or ""
    value = solution[place[1:]]
    return "" if value is None else text_of(value)
