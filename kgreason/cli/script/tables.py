"""R.facts -> facts of a graph, and facts of a graph -> R.csv, as `kgreason run` reads and writes tables.

A field of a column without a type is a number or a string (`tables.fields`). In a column that `@relation` gives a type,
a field is the text of a value of this type.

Law: if no column has a type, a script without edits gives the same tables as `kgreason run` without a script. Cost:
some microseconds for each field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kgreason.errors import InputError, RuleError
from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.relation.relation import PendingRelation
from kgreason.progress import SILENT
from kgreason.rules.parser import load
from kgreason.tables.fields import Fields, field
from kgreason.tables.reading import read
from kgreason.tables.signature import Signature, signature
from kgreason.tables.writing import Writer
from kgreason.terms.dictionary import Dictionary


@contextmanager
def opened(
    program: Path, folder: Path, how: Mapping[str, Any]
) -> Iterator[tuple[KnowledgeGraph, Signature, Mapping[str, str]]]:
    """Give the block a graph in memory, the relations of a program, and the prefixes of the program.

    The graph has the rules of the program, and the facts in the folder. `how` are arguments of `KnowledgeGraph.open`.

    Raises InputError, RuleSyntaxError, and RuleError. The message names the file.
    """
    text = load(program, None)
    declared = {rule.declares.name: len(rule.declares.columns) for rule in text.rules if rule.declares}
    try:
        found = signature(text, of_graph=True)
    except RuleError as error:
        raise RuleError(f"{program}: {error}") from None
    relations = found._replace(arities=declared | found.arities)
    with KnowledgeGraph.open(rules=["none"], **how) as graph:
        with graph.transaction() as tx:
            tx.load_rules(program)
            for name, arity in relations.arities.items():
                if (path := folder / f"{name}.facts").exists():
                    read_facts(path, tx.relation(name, arity), arity)
        yield graph, relations, text.prefixes


def read_facts(path: Path, relation: PendingRelation, arity: int) -> None:
    """Insert the facts in a file into a relation. Raises InputError; the message names the file and the line."""
    with SILENT(path.name) as report:
        dictionary = Dictionary(())
        rows = read(path, arity, Fields(dictionary), report)
    columns = relation.declaration.columns if relation.declaration else (None,) * arity
    typed = [column is not None and column.type is not None for column in columns]
    texts = list(dictionary.decode(np.arange(len(dictionary) + 1)))
    terms = [term_of(text) if text else None for text in texts] if not all(typed) else []
    fields = [field(text) for text in texts] if any(typed) else []
    values: list[Sequence[object]] = [fields if is_typed else terms for is_typed in typed]
    try:
        relation.insert([[column[number] for column, number in zip(values, row, strict=True)] for row in rows.tolist()])
    except InputError as error:
        raise InputError(f"{path}: {str(error).replace('row ', 'line ', 1)}") from error


def write(graph: KnowledgeGraph, relations: Iterable[tuple[str, int]], folder: Path) -> None:
    """Write the facts of relations into a folder, a file for each relation. Make the folder if it does not exist.

    Each item of `relations` is the name of a relation and its number of places.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, arity in relations:
        dictionary = Dictionary(())
        facts = [[text_of(term) for term in row] for row in graph.relation(name, arity).facts()]
        ids = dictionary.intern([text for row in facts for text in row])
        rows = ids.astype(np.int32).reshape(len(facts), arity)
        with SILENT(name) as report:
            Writer(Fields(dictionary).sorted()).write(folder / f"{name}.csv", rows, report)
