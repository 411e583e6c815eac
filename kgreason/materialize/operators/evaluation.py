"""`results_of`: an expression for many inputs at once, by Oxigraph.

    inputs int32[n, k] -> texts
        -> SELECT (expression AS ?result) { VALUES (?v0 ?v1) { ... } }                                BIND
        -> SELECT ?row { VALUES (?row ?v0 ?v1) { ... } FILTER(expression) }                           FILTER
        -> ids

The inputs would not identify the row of a result, because Oxigraph turns literals into their normal form: results of
BIND come in the order of the rows, those of FILTER with the number of the row. Functions also see the normal form: STR
of `"01"^^xsd:integer` is "1", and LANG of `"a"@en-GB` is "en-gb". VALUES cannot have blank nodes, so a row of inputs
with a blank node becomes triples of a store in memory. Sums of a row with dates or durations are evaluated in steps
(`expressions.sums`), and rows with numbers that are too long for Oxigraph by `expressions.exact_rows`. SKOLEM needs no
query: it is a hash of the inputs in their own spelling (`terms.skolem`). Law: the result of a row depends on its inputs
alone. If the evaluation of a row is an error, the row has no result.

Cost: 2 to 5 microseconds a row, decoding and interning included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, cast

import numpy as np
import pyoxigraph as ox
from numpy.typing import NDArray

from kgreason.interrupts import letting_out
from kgreason.materialize.expressions.exact_rows import Exact, exact_rows
from kgreason.materialize.expressions.lengths import check_lengths
from kgreason.materialize.expressions.numbers import comparison_of
from kgreason.materialize.expressions.sums import Steps, need_steps, steps_of
from kgreason.memory import without_collection
from kgreason.rules.expressions import expression_text, is_skolem, skolem_terms, without_extensions
from kgreason.rules.expressions import text_of as assignment_text
from kgreason.rules.model import Computed, Variable
from kgreason.stacks import stack_for, with_stack
from kgreason.terms.dictionary import Dictionary, Kind
from kgreason.terms.lang_comparisons import in_small_letters, places_compared_with_lang
from kgreason.terms.skolem import skolem_node
from kgreason.terms.untagged_literals import is_untagged
from kgreason.terms.vocabulary import XSD_INTEGER
from kgreason.zset.columns import Int32

_PIECE = 20_000
_SOME = 16
"""So many rows are evaluated between two calls of `let_out`."""
"""The number of rows of one query: enough to hide its fixed cost of 0.1 ms, few enough for Ctrl-C."""
_ROW = "urn:kgreason:row"


def results_of(computed: Computed, keys: Int32, dictionary: Dictionary, check: Callable[[], object]) -> Int32:
    """Evaluate the expression `computed` once for each row of inputs `keys`, int32[n, k].

    Returns for a FILTER the inputs for which it is true, int32[m, k]; for a BIND, rows of the inputs and the result,
    int32[m, k + 1]. New results get ids of the dictionary. `check` is called from time to time, and may raise an error
    to stop the work.
    """
    parts = []
    computed = _with_small_tags(computed)
    if len(keys) and (comparison := comparison_of(computed)):
        is_true, is_known = comparison.decide(keys, dictionary)
        parts.append(keys[is_true])
        keys = keys[~is_known]
    if len(rows := exact_rows(computed, keys, dictionary)):
        found, done = _exact_results(computed, keys[rows], dictionary, check)
        parts.append(found)
        keys = np.delete(keys, rows[done], axis=0)
    computed = without_extensions(computed)
    for low in range(0, len(keys), _PIECE):
        check()
        with without_collection():
            parts.append(_results_of_piece(computed, keys[low : low + _PIECE], dictionary))
    width = keys.shape[1] + (computed.result is not None)
    return np.concatenate(parts) if parts else np.empty((0, width), dtype=np.int32)


def _with_small_tags(computed: Computed) -> Computed:
    """Return an expression with small letters in the strings that it compares with LANG(...), as queries have it."""
    if "LANG" not in computed.parts:
        return computed
    small = list(places_compared_with_lang(list(map(str, computed.parts))))
    parts = [in_small_letters(str(part)) if place in small else part for place, part in enumerate(computed.parts)]
    return computed._replace(parts=tuple(parts))


def _results_of_piece(computed: Computed, keys: Int32, dictionary: Dictionary) -> Int32:
    if len(computed.parts) == 1 and computed.result is not None and keys.shape[1] == 1:
        return np.repeat(keys, 2, axis=1)  # BIND(?x AS ?y): the same term, in its own spelling
    if is_skolem(computed):
        return np.column_stack([keys, dictionary.intern(blank_nodes(computed, keys, dictionary)).astype(np.int32)])
    places, results = _solve(computed, keys, dictionary)
    rows = keys[places]
    if computed.result is None:
        return rows
    is_term = np.array([not is_untagged(text) for text in results], dtype=np.bool_)  # STRDT makes what is no term
    kept = [text for text, is_kept in zip(results, is_term, strict=True) if is_kept]
    return np.column_stack([rows[is_term], dictionary.intern(kept).astype(np.int32)])


def _exact_results(
    computed: Computed, keys: Int32, dictionary: Dictionary, check: Callable[[], object]
) -> tuple[Int32, NDArray[np.int64]]:
    """Evaluate an expression for rows of inputs `keys`, int32[n, k], with numbers that Oxigraph cannot read.

    Returns rows as `results_of` does, and the indexes of the rows of `keys` that were evaluated.
    """
    exact = Exact(computed)
    texts = dictionary.decode(np.ascontiguousarray(keys.ravel()))
    done, kept, results = list[int](), list[int](), list[str]()
    for row in range(len(keys)):
        check()
        is_done, result = exact.result(texts[row * keys.shape[1] : (row + 1) * keys.shape[1]])
        done += [row] * is_done
        if result is not None:
            kept.append(row)
            results.append(result)
    found = keys[kept]
    if computed.result is not None:
        found = np.column_stack([found, dictionary.intern(results).astype(np.int32)])
    return found, np.array(done, dtype=np.int64)


def blank_nodes(computed: Computed, keys: Int32, dictionary: Dictionary) -> list[str]:
    """Return the blank node, as text, that the SKOLEM expression gives for each row of inputs `keys`, int32[n, k]."""
    ids, where = np.unique(keys, return_inverse=True)
    columns = np.array(dictionary.decode(ids), dtype=object)[where].reshape(keys.shape).T.tolist()
    values = dict(zip(computed.inputs(), columns, strict=True))
    terms = [values[term] if isinstance(term, Variable) else repeat(term, len(keys)) for term in skolem_terms(computed)]
    return list(map(skolem_node, zip(*terms, strict=True)))


def _solve(computed: Computed, keys: Int32, dictionary: Dictionary) -> tuple[list[int], list[str]]:
    """Evaluate the expression `computed` for all rows of inputs `keys`.

    Returns the places of the rows that have a result, and the results as N-Triples texts. For a FILTER, returns the
    places of the rows for which it is true, and no texts.
    """
    ids, where = np.unique(keys, return_inverse=True)
    texts = np.array(dictionary.decode(ids), dtype=object)[where].reshape(keys.shape)
    check_lengths(computed, texts)
    is_blank = (dictionary.kinds(np.ascontiguousarray(keys)) == Kind.BLANK) | _has_blank(texts)
    blank = is_blank.any(axis=1) if keys.shape[1] else np.zeros(len(keys), dtype=np.bool_)
    places: list[int] = []
    results: list[str] = []
    stepwise = need_steps(computed, texts)
    for mask, ask, is_stepwise in (
        (~blank & ~stepwise, _solutions_by_values, False),
        (~blank & stepwise, _solutions_by_values, True),
        (blank & ~stepwise, _solutions_by_triples, False),
        (blank & stepwise, _solutions_by_triples, True),
    ):
        rows = np.flatnonzero(mask)
        if not len(rows):
            continue
        steps = steps_of(computed) if is_stepwise else Steps((), computed)
        if computed.result is not None and ask is _solutions_by_values and keys.shape[1]:
            found = _results_in_order(steps, computed.inputs(), texts[rows])
            places += [row for row, result in zip(rows.tolist(), found, strict=True) if result is not None]
            results += [_query_text(result) for result in found if result is not None]
            continue
        solutions = ask(steps, computed.inputs(), rows.tolist(), texts[rows].tolist())
        if computed.result is None:
            places += [int(row.value) for (row,) in letting_out(solutions, _SOME)]
            continue
        for row, result in letting_out(solutions, _SOME):
            places.append(int(row.value))
            results.append(_query_text(result))
    return places, results


def _results_in_order(steps: Steps, inputs: Sequence[Variable], texts: Any) -> list[Any]:
    """Return the result of each row of inputs `texts`, object[n, k], or None if it is an error.

    The query has no numbers of rows, which would take a third of its time: Oxigraph reads VALUES in order, and an
    expression of SELECT gives one solution for each row, also if it is an error.
    """
    if texts.shape[1] == 1:
        names, values = str(inputs[0]), "\n".join(texts[:, 0].tolist())
    else:
        names = f"({' '.join(map(str, inputs))})"
        values = "\n".join([f"({' '.join(terms)})" for terms in texts.tolist()])
    pattern, inner = f"VALUES {names} {{\n{values}\n}} {_assignments_text(steps)}", expression_text(steps.last)
    rows = _query_solutions(ox.Store(), f"SELECT ({inner} AS ?result) {{ {pattern} }}", inner)
    return [result for (result,) in letting_out(rows, _SOME)]


def _query_text(term: Any) -> str:
    return str(term) if type(term) is ox.Literal else text_of(term)


def text_of(term: Any) -> str:
    """Return the text of a term of pyoxigraph, as the dictionary writes terms."""
    if isinstance(term, ox.Triple):
        return f"<<( {' '.join(map(text_of, term))} )>>"
    return str(term)


def _has_blank(texts: Any) -> Any:
    """Return for each text whether it is a triple term that contains a blank node: bool, in the shape of `texts`."""
    flags = [text.startswith("<<(") and "_:" in text for text in texts.ravel()]
    return np.array(flags, dtype=np.bool_).reshape(texts.shape)


def _solutions_by_values(
    steps: Steps, inputs: Sequence[Variable], rows: Sequence[int], texts: Sequence[Sequence[str]]
) -> Iterable[Any]:
    names = " ".join(map(str, inputs))
    values = "\n".join(f"({row} {' '.join(terms)})" for row, terms in zip(rows, texts, strict=True))
    return _solutions(ox.Store(), steps, f"VALUES (?row {names}) {{\n{values}\n}}")


def _solutions_by_triples(
    steps: Steps, inputs: Sequence[Variable], rows: Sequence[int], texts: Sequence[Sequence[str]]
) -> Iterable[Any]:
    store = ox.Store()
    lines = (
        f"<{_ROW}:{row}> <{_ROW}:{place}> {text} .\n"
        for row, terms in zip(rows, texts, strict=True)
        for place, text in enumerate((f'"{row}"^^{XSD_INTEGER}', *terms))
    )
    store.extend(ox.parse("".join(lines), ox.RdfFormat.N_TRIPLES))  # `load` would give new names to blank nodes
    names = enumerate(("?row", *inputs))
    return _solutions(store, steps, "".join(f" ?subject <{_ROW}:{place}> {name} ." for place, name in names))


def _solutions(store: ox.Store, steps: Steps, pattern: str) -> Iterable[Any]:
    inner, before = expression_text(steps.last), _assignments_text(steps)
    if steps.last.result is None:
        query = f"SELECT ?row {{ {pattern} {before} FILTER({inner}) }}"
    else:
        query = f"SELECT ?row ?result {{ {pattern} {before} BIND({inner} AS ?result) FILTER(BOUND(?result)) }}"
    return _query_solutions(store, query, inner)


def _query_solutions(store: ox.Store, query: str, expression: str) -> Iterable[Any]:
    """Return the solutions of a query. `expression` is what may need a large stack in the query."""
    stack = stack_for(expression)
    if not stack:
        return cast(Iterable[Any], store.query(query))
    return with_stack(stack, lambda: list(cast(Iterable[Any], store.query(query))))


def _assignments_text(steps: Steps) -> str:
    return " ".join(map(assignment_text, steps.before))
