"""R.facts -> facts of a graph, and facts of a graph -> R.csv, as `kgreason run` reads and writes tables.

Law: a script without edits gives the same tables as `kgreason run` without a script. Cost: some microseconds for each
field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kgreason.graph.input.terms import term_of, text_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.relation.relation import PendingRelation
from kgreason.progress import SILENT
from kgreason.rules.parser import load_all
from kgreason.tables.columns import constants_of, read_facts
from kgreason.tables.fields import Fields
from kgreason.tables.layout import Layout
from kgreason.tables.signature import Signature, signature
from kgreason.tables.writing import Writer
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.order import distinct


@contextmanager
def graph_of_tables(
    programs: Sequence[Path], folder: Path, layout: Layout, how: Mapping[str, Any]
) -> Iterator[tuple[KnowledgeGraph, Signature, Mapping[str, str]]]:
    """Give the block a graph in memory, the relations of a program in files, and the prefixes of the program.

    The graph has the rules of the program, and the facts in the folder. `how` are arguments of `KnowledgeGraph.open`.

    Raises InputError, RuleSyntaxError, and RuleError. The message names the file.
    """
    text = load_all(programs, None)
    found = signature(text, of_graph=True)
    declared = {name: len(relation.columns) for name, relation in found.declared.items()}
    relations = found._replace(arities=declared | found.arities)
    with KnowledgeGraph.open(rules=["none"], **how) as graph:
        with graph.transaction() as tx:
            for program in dict.fromkeys(programs):
                tx.load_rules(program)
            for name, arity in relations.arities.items():
                if (path := folder / f"{name}.facts").exists():
                    _insert(path, tx.relation(name, arity), arity, layout)
        yield graph, relations, text.prefixes


def _insert(path: Path, relation: PendingRelation, arity: int, layout: Layout) -> None:
    """Insert the facts that a file has. Raises InputError; the message names the file and the line."""
    with SILENT(path.name) as report:
        dictionary = Dictionary(())
        rows = read_facts(path, arity, relation.declaration, Fields(dictionary), dictionary, report, layout)
    used = distinct(rows)
    terms = dict(zip(used.tolist(), map(term_of, dictionary.decode(used)), strict=True))
    relation.insert([[terms[number] for number in row] for row in rows.tolist()])


def write(
    graph: KnowledgeGraph, relations: Signature, folder: Path, layout: Layout, chosen: Sequence[str] = ()
) -> None:
    """Write the derived relations, or only the relations `chosen`, into a folder, a file for each relation.

    Make the folder if it does not exist.
    Raises OSError, and InputError for a text with a tab or a line break.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in chosen or relations.derived_relations:
        arity, dictionary = relations.arities[name], Dictionary(())
        facts = [[text_of(term) for term in row] for row in graph.relation(name, arity).facts()]
        ids = dictionary.intern([text for row in facts for text in row])
        rows = ids.astype(np.int32).reshape(len(facts), arity)
        declared = relations.declared.get(name)
        rows = constants_of(rows, declared, dictionary)
        with SILENT(name) as report:
            Writer(Fields(dictionary).sort(), layout).write(folder / f"{name}.csv", rows, report, declared)
