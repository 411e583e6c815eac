"""Long texts: Oxigraph recurses for their tokens, and no stack overflows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import QueryError, RuleError
from kgreason.stacks import MOST_TOKENS, TOKEN_BYTES, stack_for, tokens, with_stack
from tests.tables import table

SHAPES: dict[str, tuple[int, Callable[[int], str]]] = {
    "brackets": (2_000, lambda n: f"SELECT ({'(' * n}1{')' * n} AS ?z) {{}}"),
    "functions": (1_000, lambda n: f"SELECT ({'abs(' * n}1{')' * n} AS ?z) {{}}"),
    "functions of several": (1_000, lambda n: f"SELECT ({'coalesce(' * n}1{',1)' * n} AS ?z) {{}}"),
    "not": (4_000, lambda n: f"SELECT ({'!' * n}true AS ?z) {{}}"),
    "or": (2_000, lambda n: f"SELECT * {{ FILTER({'||'.join(['?x'] * n)}) }}"),
    "times": (2_000, lambda n: f"SELECT ({'*'.join(['1'] * n)} AS ?z) {{}}"),
    "minus": (2_000, lambda n: f"SELECT (1{'-1' * n} AS ?z) {{}}"),
    "comparisons": (1_000, lambda n: f"SELECT ({'1=(' * n}1{')' * n} AS ?z) {{}}"),
    "aggregates": (50, lambda n: f"SELECT ({'+'.join(f'COUNT(?x{i})' for i in range(n))} AS ?n) {{}}"),
    "alternatives": (2_000, lambda n: f"SELECT * {{ ?s {'|'.join(['<e:p>'] * n)} ?o }}"),
    "steps": (90, lambda n: f"SELECT * {{ ?s {'/'.join(['<e:p>'] * n)} ?o }}"),
    "nested paths": (100, lambda n: f"SELECT * {{ ?s {'(' * n}<e:p>{')?' * n} ?o }}"),
    "patterns": (60, lambda n: f"SELECT * {{ {' '.join(f'?s{i} <e:p> ?s{i + 1} .' for i in range(n))} }}"),
    "lists": (60, lambda n: f"SELECT * {{ ?s <e:p> ({' <e:a>' * n}) }}"),
    "lists in lists": (60, lambda n: f"SELECT * {{ ?s <e:p> {'(' * n}{')' * n} }}"),
    "blank nodes": (60, lambda n: f"SELECT * {{ ?s <e:p> {'[ <e:p> ' * n}1{']' * n} }}"),
    "groups": (500, lambda n: f"SELECT * {'{' * n}{'}' * n}"),
    "unions": (500, lambda n: f"SELECT * {{ {'UNION'.join(['{}'] * n)} }}"),
    "unions in unions": (200, lambda n: f"SELECT * {{ {'{?s ?p ?o}UNION{' * n}{'}' * n} }}"),
    "optional": (200, lambda n: f"SELECT * {{ {'OPTIONAL{?s ?p ?o}' * n} }}"),
    "minus groups": (200, lambda n: f"SELECT * {{ ?s ?p ?o {'MINUS{?s ?p ?o}' * n} }}"),
    "exists": (200, lambda n: f"SELECT * {{ {'BIND(EXISTS{' * n}{'}AS ?z)' * n} }}"),
    "selects": (200, lambda n: f"SELECT * {{ {'{SELECT * {' * n}{'}}' * n} }}"),
    "bind": (300, lambda n: f"SELECT * {{ {''.join(f'BIND(1 AS ?x{i})' for i in range(n))} }}"),
    "filters": (1_000, lambda n: f"SELECT * {{ {'FILTER(?x)' * n} }}"),
    "triple terms": (100, lambda n: f"SELECT * {{ ?s ?p {'<<( <e:a> <e:b> ' * n}1{' )>>' * n} }}"),
    "describe": (300, lambda n: f"DESCRIBE{' <e:a>' * n}"),
    "escapes": (2_000, lambda n: f"SELECT ({'!' * n}'{chr(92)}u0027{'||true' * n} AS ?z) {{}}"),
}
_RUN = """
import sys, threading, pyoxigraph
size, text = int(sys.argv[1]), sys.stdin.read()
def run():
    try:
        for row in pyoxigraph.Store().query(text):
            pass
    except SyntaxError:
        print("syntax")
threading.stack_size(size)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_the_stack_for_a_text_is_enough(shape: str) -> None:
    """With as much stack as the text needs by the law, and none besides, a process of its own survives it."""
    count, write = SHAPES[shape]
    text = write(count)
    size = tokens(text) * TOKEN_BYTES
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, str(size)], input=text, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, (ran.returncode, size)
    assert ran.stdout == ("syntax\n" if shape == "escapes" else "")


LONG = f"FILTER({'(' * 8_000}true{')' * 8_000})"


def test_a_long_text_has_an_answer() -> None:
    ran = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran
    assert ran.stdout.split() == ["1", "1", "True"]


def test_a_text_that_is_too_long_is_refused() -> None:
    text = f"SELECT * {{ FILTER({'||'.join(['true'] * MOST_TOKENS)}) }}"
    rules = f"[?x, <e:p>, ?y] :- [?x, <e:q>, ?y], FILTER({' || '.join(['?x'] * (MOST_TOKENS // 2 + 9))}) ."
    with KnowledgeGraph.open(rules=[]) as graph:
        with pytest.raises(QueryError, match="the text is too long: it has 65,5"):
            graph.query(text)
        with pytest.raises(QueryError, match="the text is too long"):
            graph.update(f"INSERT {{ <e:a> <e:b> <e:c> }} WHERE {{ {text} }}")
        with pytest.raises(RuleError, match="the text is too long"):
            graph.transaction().add_rules(rules)
        assert graph.commit == 0


def test_data_and_lists_may_be_long() -> None:
    names = [f"<http://e/{i}>" for i in range(MOST_TOKENS)]
    others = [f"<urn:e:{i}>" for i in range(MOST_TOKENS)]
    assert not stack_for(f"SELECT * {{ VALUES ?x {{ {' '.join(names + others)} }} }}")
    assert not stack_for(f"SELECT * {{ VALUES (?x ?y) {{ {' '.join(f'({name} 1.5)' for name in others)} }} }}")
    assert not stack_for(f"SELECT * {{ FILTER(?x IN ({', '.join(names + others)})) }}")
    assert not stack_for(f'SELECT ("{"((( || " * MOST_TOKENS}"@en AS ?x) {{}} # {"(" * MOST_TOKENS}')


@table(
    "hidden",
    [
        r"1 <b:#> '''{}#'''",
        r"'\u0027{}'",
        "e:a\\#{}",
        "<a#b>{}",
        "?x <e:a{}/e:b>?y",
        "# ''' \n{} # '''",
        "1 <b:'{}'>",
        "VALUES ?x {{ <<( {} )>> }}",
        "(?x, ?y) {}",
        "_:a:b{}",
        "1.5{}",
    ],
)
def test_no_sign_is_hidden(hidden: str) -> None:
    """Where a text can be read in two ways, all of its signs count."""
    assert stack_for(hidden.format("\n" + "/1" * 2_000)) > 2_000 << 13


def test_errors_come_through() -> None:
    with pytest.raises(ZeroDivisionError):
        with_stack(1 << 24, lambda: 1 // 0)
    with pytest.raises(QueryError, match="there is no memory for a stack"):
        with_stack(1 << 62, lambda: 1)


def _answers() -> None:
    with KnowledgeGraph.open(rules=[]) as graph:
        for timeout in (None, 60):
            print(len(list(graph.select(f"SELECT * {{ {LONG} }}", timeout=timeout))))  # noqa: T201
        graph.update(f"INSERT {{ <e:a> <e:b> <e:c> }} WHERE {{ {LONG} }}")
        print(graph.ask("ASK { <e:a> <e:b> <e:c> }"))  # noqa: T201


if __name__ == "__main__":
    _answers()
