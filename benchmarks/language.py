"""What NOT, FILTER, functions and aggregates cost: rules with them beside the same rules without them.

    filter     numbers(?x, ?v), FILTER(?v > 500000) over a million rows, Bootstrap, over the rule without the FILTER
    function   BIND(UCASE(?v) AS ?w) over distinct strings: microseconds for each string, above the rule without it
    count      one row more in a large group, over one row more in a small one
    not        a rule with NOT is added to LUBM(5,0) by an Update, over the rule without NOT
    editor     the replicated text (examples/rules/text-editor): one insertion, and 1 % of them, over Bootstrap
    firewalls  labels that spread over links unless a firewall denies them (examples/rules/labelled-reachability): a
               link comes or goes among a million links, over the same among ten thousand

Both sides of a ratio run in turns. The data of the editor is a public trace; without it the benchmark is skipped.
Cost: a minute, and 2 GB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.lubm import NAMESPACE, materialize
from benchmarks.model import Measurement
from benchmarks.states import seconds
from benchmarks.timing import alternate, timed
from benchmarks.workspace import Workspace
from kgreason.engine.changes import Strategy
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import Edit, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rules.model import Rule
from kgreason.rules.parser import parse
from kgreason.zset.columns import Int32

_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
_MILLION, _STRINGS = 1_000_000, 300_000
_SMALL, _LARGE = 100, 100_000
_EXAMPLES = Path(__file__).parent.parent / "examples/rules"
_EDITOR = _EXAMPLES / "text-editor/program.dl"
_FIREWALLS = _EXAMPLES / "labelled-reachability/rules.dl"
_NETWORK = "http://example.org/network/"
_LINKS = 10_000, 100_000, 1_000_000


def filtered(_: Workspace) -> Measurement:
    """FILTER over a million numbers."""
    rows = _numbers(_MILLION)

    def side(text: str) -> float:
        return _load(parse(text).rules, {"n": rows})

    pairs = alternate(
        lambda: side(f'big(?x) :- n(?x, ?v), FILTER(?v > "{_MILLION // 2}"^^<{_INTEGER}>) .'),
        lambda: side("big(?x) :- n(?x, ?v) ."),
        3,
    )
    return Measurement(pairs.ratio, f"{pairs}; {_MILLION:,} rows")


def function(_: Workspace) -> Measurement:
    """A function of SPARQL for each of many strings."""
    rows = [(f"<http://example.org/bench/{i}>", f'"value number {i}"') for i in range(_STRINGS)]

    def side(text: str) -> float:
        return _load(parse(text).rules, {"n": rows})

    pairs = alternate(
        lambda: side("upper(?x, ?w) :- n(?x, ?v), BIND(UCASE(?v) AS ?w) ."),
        lambda: side("upper(?x, ?v) :- n(?x, ?v) ."),
        3,
    )
    extra = median(a - b for a, b in zip(pairs.first, pairs.second, strict=True)) / _STRINGS * 1e6
    return Measurement(extra, f"{pairs}; {_STRINGS:,} strings")


def counted(_: Workspace) -> Measurement:
    """COUNT under single changes of a small group and of a large one."""
    materializer = _empty(parse("size(?g, ?n) :- AGGREGATE(member(?g, ?x) ON ?g BIND COUNT(?x) AS ?n) .").rules)
    groups = {"small": _SMALL, "large": _LARGE}
    rows = [(_term(name), _term(f"{name}{i}")) for name, size in groups.items() for i in range(size)]
    _change(materializer, {"member": rows}, "bootstrap")

    def side(name: str) -> float:
        taken = []
        for i in range(50):
            one = {"member": [(_term(name), _term(f"more{i}"))]}
            taken.append(_change(materializer, one, "update"))
            taken.append(_change(materializer, one, "update", is_removed=True))
        return median(taken)

    side("large")
    pairs = alternate(lambda: side("large"), lambda: side("small"), 5)
    return Measurement(pairs.ratio, f"{pairs}; medians of 100 changes, groups of {_LARGE:,} and {_SMALL}")


def negated(workspace: Workspace) -> Measurement:
    """A rule with NOT is added to LUBM(5,0) by an Update."""
    materializer = materialize(workspace, 5)
    body = f"[?x, a, <{NAMESPACE}Professor>], [?x, <{NAMESPACE}worksFor>, ?d]"
    plain = parse(f"[?x, a, <http://example.org/bench/Free>] :- {body} .").rules
    with_not = parse(f"[?x, a, <http://example.org/bench/Free>] :- {body}, NOT [?x, <{NAMESPACE}headOf>, ?d] .").rules

    def side(rules: Sequence[Rule]) -> float:
        added = seconds(lambda: _commit(materializer, Edit(own=tuple(rules)), "update"))
        _commit(materializer, Edit(own=()), "update")
        return added

    side(with_not), side(plain)
    pairs = alternate(lambda: side(with_not), lambda: side(plain), 9)
    return Measurement(pairs.ratio, str(pairs))


def editor(workspace: Workspace) -> Measurement:
    """One insertion into a long text, over Bootstrap."""
    facts = dict(_trace(workspace))
    rules = parse(_EDITOR.read_text()).rules
    bootstraps = [_load(rules, facts) for _ in range(2)]
    materializer = _empty(rules)
    _change(materializer, facts, "auto")
    inserted = facts["insert"]
    drawn = np.argsort(np.random.default_rng(0).random(len(inserted)))
    one = [_turn(materializer, [inserted[i]]) for i in drawn[:40]]
    hundredth = [_turn(materializer, [inserted[i] for i in drawn[-len(drawn) // 100 :]]) for _ in range(3)]
    bootstrap = median(bootstraps)
    others = {
        "bootstrap": (bootstrap, "s"),
        "one-first": (max(one[0]), "s"),
        "hundredth-deleted": (median(deleted for deleted, _ in hundredth) / bootstrap, "x"),
        "hundredth-added": (median(added for _, added in hundredth) / bootstrap, "x"),
    }
    worst = max(median(side) for side in zip(*one[1:], strict=True))
    return Measurement(worst / bootstrap, f"{len(one) - 1} insertions taken back and done again", others)


def firewalls(_: Workspace) -> Measurement:
    """One link of a network comes or goes, at three sizes of the network."""
    medians, others = [], dict[str, tuple[float, str]]()
    for links in _LINKS:
        load, single = _network(links)
        medians.append(median(single))
        others[f"{links}-load"] = load, "s"
        others[f"{links}-link"] = median(single) * 1e6, "us"
        others[f"{links}-worst"] = max(single) * 1e6, "us"
    return Measurement(medians[-1] / medians[0], f"medians of {len(single)} links", others)


def _network(links: int) -> tuple[float, list[float]]:
    """The seconds to load a random network, and those of each single link that goes and comes back."""
    materializer, between, others = network(links, links * 5 // 2)
    load = timed(lambda: _commit(materializer, Edit(added=np.concatenate([between, others])), "auto"))
    single = []
    for i in np.argsort(np.random.default_rng(1).random(len(between)))[:200]:
        link = between[i : i + 1]
        single.append(seconds(lambda: _commit(materializer, Edit(removed=link), "update")))  # noqa: B023 - called now
        single.append(seconds(lambda: _commit(materializer, Edit(added=link), "update")))  # noqa: B023 - called now
    return load, single


def network(links: int, count: int) -> tuple[Materializer, Int32, Int32]:
    """An empty graph with the rules of labelled reachability, and the links and the labels of a random network.

    Links and labels are quads int32[n, 4] of the graph's ids; the network has `count` machines. With more links than
    machines each label reaches nearly all machines, and one link may change the labels of nearly all of them.
    """
    draw = np.random.default_rng(0).random
    materializer = _empty(parse(_FIREWALLS.read_text()).rules)
    intern = materializer.dictionary.intern
    machines = intern([f"<{_NETWORK}m{i}>" for i in range(count)])
    labels = intern([f"<{_NETWORK}label{i}>" for i in range(10)])

    def triples(predicate: str, objects: Int32, count: int) -> Int32:
        one, other = ((draw(count) * len(terms)).astype(np.int64) for terms in (machines, objects))
        number = int(intern([f"<{_NETWORK}{predicate}>"])[0])
        columns = (machines[one], np.full(count, number), objects[other], np.zeros(count))
        return np.unique(np.column_stack(columns).astype(np.int32), axis=0)

    between = triples("link", machines, links)
    others = [triples("holds", labels, links // 10), triples("denies", labels, links // 10)]
    return materializer, between, np.concatenate(others)


def _turn(materializer: Materializer, rows: Sequence[tuple[str, ...]]) -> tuple[float, float]:
    deleted = _change(materializer, {"insert": rows}, "update", is_removed=True)
    return deleted, _change(materializer, {"insert": rows}, "update")


def _trace(workspace: Workspace) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    for name in ("insert", "remove"):
        lines = workspace.shared("datalog/crdt", f"{name}.txt.gz").read_text().splitlines()
        yield name, [tuple(map(_number, line.split())) for line in lines]


def _load(rules: Sequence[Rule], facts: Mapping[str, Sequence[tuple[str, ...]]]) -> float:
    """The seconds in which an empty graph takes facts of relations; their terms have ids before."""
    materializer = _empty(rules)
    edit = _edit(materializer, facts)
    return timed(lambda: _commit(materializer, edit, "auto"))


def _empty(rules: Sequence[Rule]) -> Materializer:
    materializer = Materializer(select(["none"]))
    _commit(materializer, Edit(own=tuple(rules)), "bootstrap")
    return materializer


def _change(
    materializer: Materializer,
    facts: Mapping[str, Sequence[tuple[str, ...]]],
    strategy: Strategy,
    *,
    is_removed: bool = False,
) -> float:
    edit = _edit(materializer, facts)
    edit = edit._replace(facts=Facts(edit.facts.removed, edit.facts.added)) if is_removed else edit
    return seconds(lambda: _commit(materializer, edit, strategy))


def _commit(materializer: Materializer, edit: Edit, strategy: Strategy) -> None:
    materializer.change(edit, strategy=strategy)
    materializer.accept()


def _edit(materializer: Materializer, facts: Mapping[str, Sequence[tuple[str, ...]]]) -> Edit:
    """Assert facts of relations, all of them of different widths or of one relation."""
    tables: dict[int, list[Int32]] = {}
    for name, rows in facts.items():
        width = len(rows[0])
        terms = materializer.dictionary.intern([term for row in rows for term in row]).reshape(-1, width)
        number = materializer.dictionary.intern([relation_text(name, width)])[0]
        made = np.column_stack([np.full(len(rows), number, dtype=np.int32), terms]).astype(np.int32)
        tables.setdefault(width + 1, []).append(made)
    return Edit(facts=Facts({width: np.concatenate(parts) for width, parts in tables.items()}, {}))


def _numbers(count: int) -> list[tuple[str, str]]:
    return [(_term(str(i)), _number(str(i))) for i in range(count)]


def _number(digits: str) -> str:
    return f'"{digits}"^^<{_INTEGER}>'


def _term(name: str) -> str:
    return f"<http://example.org/bench/{name}>"
