"""`kgreason run`: cases, random tables against the oracle, the form of files, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.rules.model import Atom, Rule, Variable
from kgreason.rules.parser import load, parse
from kgreason.tables import reading
from kgreason.tables.fields import constant_of_field, field_of_constant
from tests.cli.calling import error_of, files, succeed
from tests.oracle import datalog

CASES = sorted(path.parent for path in (Path(__file__).parents[1] / "cases").glob("*/program.dl"))
COPY = "copy(?y, ?x) :- pair(?x, ?y) ."
Table = set[tuple[str, ...]]

FIELDS = st.one_of(
    st.integers(-3, 12).map(str),
    st.sampled_from(["007", "+5", "-", "", " 5", "a b", 'say "x"', "back\\slash", "\\n", "<http://e/a>", "tû", "٣"]),
    st.sampled_from(['"5"', '""-5""', '"5', '"5""', '"٣"', '""']),
    st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), max_size=5),
)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_case(case: Path, tmp_path: Path) -> None:
    succeed("run", case / "program.dl", "--facts", case / "facts", "--output", tmp_path)
    assert files(tmp_path) == files(case / "expected")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
@given(data=st.data())
def test_random_tables_are_as_the_oracle_says(case: Path, data: st.DataObject) -> None:
    rules = load(case / "program.dl").rules
    tables = {name: data.draw(few_rows(arity), label=name) for name, arity in bodies(rules).items()}
    expected: dict[str, Table] = {name: set() for name in {str(head.relation) for rule in rules for head in rule.heads}}
    facts = [(name, row) for name, rows in tables.items() for row in rows]
    for name, row in datalog.close(facts, [in_fields(rule) for rule in rules]):
        if name in expected:
            expected[name].add(row)
    assert evaluate(case / "program.dl", tables) == expected


def few_rows(arity: int) -> st.SearchStrategy[Table]:
    """Tables whose fields are few, so that they meet."""
    nodes = st.one_of(st.integers(0, 5).map(str), st.sampled_from(["a", "07"]))
    return st.sets(st.tuples(*[nodes] * arity), max_size=10 if arity else 1)


def bodies(rules: tuple[Rule, ...]) -> dict[str, int]:
    return {str(atom.relation): len(atom.terms) for rule in rules for atom in rule.body}


def in_fields(rule: Rule) -> datalog.Rule:
    """The rule with the fields that its constants stand for."""

    def plain(atom: Atom) -> datalog.Atom:
        return datalog.Atom(atom.relation, tuple(oracle_term(term) for term in atom.terms))

    return datalog.Rule(tuple(map(plain, rule.heads)), tuple(map(plain, rule.body)))


def oracle_term(term: Variable | str) -> datalog.Var | str:
    if isinstance(term, Variable):
        return datalog.Var(term.name)
    number = re.fullmatch(r'"(.*)"\^\^<.*#integer>', term)
    return number[1] if number else str(json.loads(term))


def evaluate(program: Path, tables: dict[str, Table]) -> dict[str, Table]:
    """The derived tables; checks that each is in order."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for relation, rows in tables.items():
            lines = ("\t".join(row) if row else "()" for row in rows)
            (folder / f"{relation}.facts").write_text("".join(f"{line}\n" for line in lines), newline="")
        counts = json.loads(succeed("run", program, "-F", folder, "-D", folder / "new" / "out", "--json"))
        derived = {path.stem: rows_of(path) for path in (folder / "new" / "out").iterdir()}
    assert {relation: len(rows) for relation, rows in derived.items()} == counts
    assert all(rows == sorted(set(rows), key=lambda row: [in_order(text) for text in row]) for rows in derived.values())
    return {relation: set(rows) for relation, rows in derived.items()}


def rows_of(path: Path) -> list[tuple[str, ...]]:
    lines = path.read_bytes().decode().split("\n")
    assert lines.pop() == ""
    return [() if line == "()" else tuple(line.split("\t")) for line in lines]


def in_order(text: str) -> tuple[bool, int, str]:
    is_number = bool(re.fullmatch("[+-]?[0-9]+", text))
    return not is_number, int(text) if is_number else 0, text


@given(FIELDS)
def test_a_field_comes_back_as_it_was_and_is_the_constant_of_rule_text(text: str) -> None:
    assert field_of_constant(constant_of_field(text)) == text
    is_number = re.fullmatch("[+-]?[0-9]+", text)
    quoted = re.fullmatch('("+)[+-]?[0-9]+("+)', text)
    symbol = text[1:-1] if quoted and quoted[1] == quoted[2] else text
    [rule] = parse(f"r({text if is_number else json.dumps(symbol, ensure_ascii=False)}) .").rules
    assert rule.heads[0].terms == (constant_of_field(text),)


@given(st.sets(st.tuples(FIELDS, FIELDS), max_size=8))
def test_copied_rows_stay_the_same(rows: Table) -> None:
    with TemporaryDirectory() as name:
        program = Path(name, "copy.dl")
        program.write_text(COPY)
        assert evaluate(program, {"pair": rows})["copy"] == {(y, x) for x, y in rows}


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[bytes], bytes]:
    """What `copy` is for a file `pair.facts`."""
    (tmp_path / "copy.dl").write_text(COPY)

    def copy(facts: bytes) -> bytes:
        (tmp_path / "pair.facts").write_bytes(facts)
        succeed("run", tmp_path / "copy.dl", "--facts", tmp_path, "--output", tmp_path)
        return (tmp_path / "copy.csv").read_bytes()

    return copy


def test_line_ends_marks_and_empty_files(copied: Callable[[bytes], bytes]) -> None:
    assert copied(b"") == b""
    assert copied(b"1\t2") == b"2\t1\n"
    assert copied(b"\xef\xbb\xbf1\t2\r\n3\t4") == b"2\t1\n4\t3\n"
    assert copied(b"1\t\n") == b"\t1\n"


def test_a_file_in_many_pieces(copied: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    facts = b"".join(b"%d\tn%d\n" % (n, n % 97) for n in range(5000))
    expected = copied(facts)
    monkeypatch.setattr(reading, "PIECE", 100)
    assert copied(facts) == expected
    assert expected.count(b"\n") == 5000


def test_numbers_of_any_length_are_in_order(copied: Callable[[bytes], bytes]) -> None:
    large = b"9" * 5000
    assert copied(b"x\t%b\nx\t-%b\nx\t10\nx\t9\n" % (large, large)) == b"-%b\tx\n9\tx\n10\tx\n%b\tx\n" % (large, large)


def test_files_are_here_unless_said_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("copy.dl").write_text(COPY)
    Path("pair.facts").write_text("1\t2\n")
    assert succeed("run", "copy.dl") == "copy  1\n"
    assert Path("copy.csv").read_text() == "2\t1\n"


def test_constants_that_no_file_can_have_are_written_as_they_are(tmp_path: Path) -> None:
    program = tmp_path / "program.dl"
    program.write_text('r(<http://e/a>, 1.5, "x"@en) .')
    succeed("run", program, "-F", tmp_path, "-D", tmp_path)
    assert (tmp_path / "r.csv").read_text() == '<http://e/a>\t1.5\t"x"@en\n'


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        (b"1\t2\n3\n", "pair.facts:2: the line has 1 fields, pair has 2"),
        (b"1\t2\n3\t4\n5\t6\t7\n", "pair.facts:3: the line has 3 fields, pair has 2"),
        (b"1\t2\n\n3\t4\n", "pair.facts:2: the line has 1 fields, pair has 2"),
        (b"1\t2\n3\t\xff\n", "pair.facts:2: is not UTF-8 text"),
        (None, "pair.facts: the file does not exist, and no rule derives pair"),
    ],
)
@pytest.mark.parametrize("piece", [1, 1 << 24])
def test_bad_facts(
    facts: bytes | None, problem: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PIECE", piece)
    (tmp_path / "copy.dl").write_text(COPY)
    (tmp_path / "copy.csv").write_text("before")
    if facts is not None:
        (tmp_path / "pair.facts").write_bytes(facts)
    told = error_of("run", tmp_path / "copy.dl", "-F", tmp_path, "-D", tmp_path)
    assert told == f"{tmp_path}/{problem}"
    assert (tmp_path / "copy.csv").read_text() == "before"


def test_a_relation_without_columns_is_there_or_not(tmp_path: Path) -> None:
    (tmp_path / "program.dl").write_text("on(1) :- is_on() .")
    (tmp_path / "is_on.facts").write_text("()\n()\n")
    assert succeed("run", tmp_path / "program.dl", "-F", tmp_path, "-D", tmp_path) == "on  1\n"
    (tmp_path / "is_on.facts").write_text("")
    assert succeed("run", tmp_path / "program.dl", "-F", tmp_path, "-D", tmp_path) == "on  0\n"
    assert (tmp_path / "on.csv").read_text() == ""
    (tmp_path / "is_on.facts").write_text("()\nyes\n")
    told = error_of("run", tmp_path / "program.dl", "-F", tmp_path, "-D", tmp_path)
    assert told == f"{tmp_path}/is_on.facts:2: is_on has no columns, so the line must be ()"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("r(?x) :- [?x, <http://e/p>, ?y] .", "program.dl:1: rule rule-1: a triple pattern"),
        ("[?x, <http://e/p>, ?x] :- r(?x) .", "program.dl:1: rule rule-1: a triple pattern"),
        ("false :- r(?x) .", "program.dl:1: rule rule-1: a program on tables cannot derive false"),
        ("r(1) .\n@rule wide\nr(?x, ?y) :- s(?x, ?y) .", "program.dl:3: rule wide: r has 2 terms here, but 1 before"),
        (r'r("a\tb") .', r'program.dl:1: rule rule-1: "a\tb" has a tab or a line break'),
        ("r(?x) :- s(?y) .", ":1:1: rule rule-1"),
        ("r(?x :- s(?x) .", ":1:6: "),
        (f"r({', '.join('1' * 40)}) .", "program.dl:1: rule rule-1: an atom may have at most 31 terms"),
    ],
)
def test_a_program_that_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    program = tmp_path / "program.dl"
    program.write_text(text)
    told = error_of("run", program)
    assert problem in told
    if "at most" not in problem:
        assert told.startswith(f"{program}:")
    assert "missing.dl: cannot be read" in error_of("run", tmp_path / "missing.dl")


TYPED = """
@relation price(item, amount: xsd:decimal, code: xsd:string) key(item) .
@relation internal step(item) .
@relation derived dear(item, amount: xsd:decimal, code: xsd:string) .
step(?x) :- price(?x, ?a, ?c), FILTER(?a > 2) .
dear(?x, ?a, ?c) :- step(?x), price(?x, ?a, ?c) .
"""


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_a_declaration_gives_types_and_keys(how: tuple[str, ...], tmp_path: Path) -> None:
    program, out = tmp_path / "program.dl", tmp_path / "out"
    program.write_text(TYPED)
    options = ("run", program, "--facts", tmp_path, "--output", out, *how)
    (tmp_path / "price.facts").write_text("tea\t10\t007\nwine\t2.50\t\nsalt\t1\tx\ntea\t10\t007\n")
    said = succeed(*options, stdin="dump step;")
    assert said == ('step("tea")\nstep("wine")\n' if how else "dear  2\n")
    assert files(out) == {"dear.csv": b"tea\t10\t007\nwine\t2.50\t\n"}
    for facts, problem in (
        ("tea\t10\t1\nwine\tmuch\t2\n", "price.facts:2: column amount, value 'much': not a value of its datatype"),
        (
            "tea\t1\t1\nsalt\t1\t1\ntea\t1.0\t1\n",
            "price.facts:3: the line has the same key as line 1: price has the key",
        ),
    ):
        (tmp_path / "price.facts").write_text(facts)
        assert error_of(*options, stdin="").startswith(f"{tmp_path}/{problem}")
    (tmp_path / "price.facts").write_text("")
    (tmp_path / "dear.facts").write_text("tea\t1\t1\n")
    assert error_of(*options, stdin="").endswith(
        "dear.facts: dear is declared as derived, so only rules make its facts"
    )


def test_different_facts_are_different_lines(tmp_path: Path) -> None:
    program, out = tmp_path / "program.dl", tmp_path / "out"
    program.write_text(
        "@relation internal n(x) . @relation derived code(x: xsd:decimal) . code(?x) :- n(?x) . n(5) ."
        ' n("5"^^<http://www.w3.org/2001/XMLSchema#decimal>) .'
    )
    succeed("run", program, "--output", out)
    assert files(out) == {"code.csv": b'5\n"5"^^<http://www.w3.org/2001/XMLSchema#integer>\n'}


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_a_number_and_its_text_are_different_lines(how: tuple[str, ...], tmp_path: Path) -> None:
    program, out = tmp_path / "program.dl", tmp_path / "out"
    program.write_text(
        '@relation code(x: xsd:string) . any(5) . any("5") . any("\\"5\\"") .'
        "copy(?x) :- any(?x) . text(?x) :- code(?x) ."
    )
    (tmp_path / "code.facts").write_text("5\n")
    succeed("run", program, "--facts", tmp_path, "--output", out, *how, stdin="")
    assert (out / "copy.csv").read_text() == '5\n""5""\n"5"\n'
    assert (out / "text.csv").read_text() == '"5"\n'
    (tmp_path / "any.facts").write_text((out / "copy.csv").read_text())
    program.write_text('copy(?x) :- any(?x) . is(?x) :- any(?x), FILTER(?x = "5") .')
    succeed("run", program, "--facts", tmp_path, "--output", out, *how, stdin="")
    assert (out / "copy.csv").read_text() == '5\n""5""\n"5"\n'
    assert (out / "is.csv").read_text() == '"5"\n'


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_iris_of_a_typed_column(how: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "program.dl"
    program.write_text("@relation r(x: rdfs:Resource) . s(?x) :- r(?x) .")
    options = ("run", program, "--facts", tmp_path, "--output", tmp_path, *how)
    (tmp_path / "r.facts").write_text("http://e/a\n<mailto:tom>\n_:b\nurn:x\n")
    succeed(*options, stdin="")
    assert (tmp_path / "s.csv").read_text() == "<http://e/a>\n<mailto:tom>\n<urn:x>\n_:b\n"
    for wrong in ("tom", "ex:tom", "<a b>", "5", '"x"'):
        (tmp_path / "r.facts").write_text(f"http://e/a\n{wrong}\n")
        assert f"r.facts:2: column x, value {wrong!r}: expected an IRI or a blank node" in error_of(*options, stdin="")


def test_a_column_of_texts_with_a_language_needs_no_table(tmp_path: Path) -> None:
    (tmp_path / "program.dl").write_text("@relation r(x: rdf:langString) . s(?x) :- r(?x) .")
    (tmp_path / "r.facts").write_text("chat\n")
    told = error_of("run", tmp_path / "program.dl", "-F", tmp_path, "-D", tmp_path)
    assert told.endswith(
        "r.facts:1: column x, value 'chat': a field of a table has no language tag; leave the type out, "
        "or use xsd:string"
    )


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "@relation input r(x) . r(?x) :- s(?x) .",
            ":1:24: rule rule-1: r is declared as an input, so no rule may derive it",
        ),
        (
            "@relation s(x: xsd:integer) . r(?x) :- s(?x), s('a') .",
            ':1:47: rule rule-1: s, column x: "a": expected a literal',
        ),
        (
            "@relation s(x, y) . r(?x) :- s(?x) .",
            ":1:30: rule rule-1: s has 1 place here, but it is declared as s(x, y)",
        ),
    ],
)
def test_rules_that_do_not_fit_a_declaration(text: str, problem: str, how: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "program.dl").write_text(text)
    (tmp_path / "s.facts").write_text("")
    assert problem in error_of("run", tmp_path / "program.dl", "-F", tmp_path, "-D", tmp_path, *how, stdin="")


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_a_made_text_that_no_table_can_have(how: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "program.dl").write_text(r'made(?y) :- given(?x), BIND(CONCAT(?x, "\n", ?x) AS ?y) .')
    (tmp_path / "given.facts").write_text("a\n")
    told = error_of("run", tmp_path / "program.dl", "-F", tmp_path, "-D", tmp_path, *how, stdin="")
    assert "the text 'a\\na' has a tab or a line break" in told
    assert not (tmp_path / "made.csv").exists()
