"""Tables with other delimiters and with a header: what is written is read again, and mistakes have their line."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.tables.fields import constant_of_field, field_of_constant
from tests.cli.calling import error_of, succeed

COPY = "@relation pair(left, right) . copy(?y, ?x) :- pair(?x, ?y) ."
DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "|": "|", "space": " "}
FIELDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(["5", '"5"', "2.50", "a,b"])
PLAIN = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), max_size=5)


@given(st.data(), st.sampled_from(sorted(DELIMITERS)), st.booleans())
def test_rows_that_are_copied_twice_stay_the_same(data: st.DataObject, delimiter: str, has_header: bool) -> None:
    fields = PLAIN if delimiter == "tab" else FIELDS.filter(lambda text: "\r" not in text)
    rows = data.draw(st.sets(st.tuples(fields, fields), max_size=5))
    options = ("--delimiter", delimiter, *(["--header"] if has_header else []))
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "copy.dl").write_text(COPY)
        (folder / "again.dl").write_text("@relation copy(a, b) . pair(?y, ?x) :- copy(?x, ?y) .")
        _write(folder / "pair.facts", delimiter, [("left", "right")] * has_header + sorted(rows))
        succeed("run", folder / "copy.dl", "-F", folder, "-D", folder, *options)
        (folder / "copy.csv").rename(folder / "copy.facts")
        if has_header:
            text = (folder / "copy.facts").read_bytes()
            (folder / "copy.facts").write_bytes(text.replace(b"column1", b"a", 1).replace(b"column2", b"b", 1))
        succeed("run", folder / "again.dl", "-F", folder, "-D", folder, *options)
        found = _read(folder / "pair.csv", delimiter)
        assert set(found[has_header:]) == rows
        assert not has_header or found[0] == ("column1", "column2")


def _write(path: Path, delimiter: str, rows: list[tuple[str, str]]) -> None:
    text = StringIO(newline="")
    if delimiter == "tab":
        text.writelines("\t".join(row) + "\n" for row in rows)
    else:
        csv.writer(text, delimiter=DELIMITERS[delimiter], lineterminator="\n").writerows(rows)
    path.write_text(text.getvalue(), newline="")


def _read(path: Path, delimiter: str) -> list[tuple[str, ...]]:
    text = path.read_bytes().decode()
    if delimiter == "tab":
        return [tuple(line.split("\t")) for line in text.split("\n")[:-1]]
    return [tuple(row) for row in csv.reader(StringIO(text, newline=""), delimiter=DELIMITERS[delimiter])]


@given(PLAIN)
def test_numbers_are_those_of_rule_text(text: str) -> None:
    assert field_of_constant(constant_of_field(text)) == text


@pytest.mark.parametrize("how", [(), ("--script", "-")], ids=["tables", "script"])
def test_a_header_names_the_columns_in_any_order(how: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "p.dl"
    program.write_text(
        "@relation price(item, amount: xsd:decimal) key(item) . @relation derived dear(item, amount: xsd:decimal) ."
        "dear(?x, ?a) :- price(?x, ?a), FILTER(?a > 2) . sum(?s) :- AGGREGATE(dear(_, ?a) BIND SUM(?a) AS ?s) ."
    )
    facts = tmp_path / "price.facts"
    options = ("run", program, "-F", tmp_path, "-D", tmp_path / "out", "--delimiter", "comma", "--header", *how)
    facts.write_text('\ufeffAmount, item\r\n2.50,"tea, green"\r\n9,"a ""b"""\r\n1,salt\r\n')
    succeed(*options, stdin="")
    assert (tmp_path / "out" / "dear.csv").read_text() == 'item,amount\n"a ""b""",9\n"tea, green",2.50\n'
    assert (tmp_path / "out" / "sum.csv").read_text() == "column1\n11.5\n"
    for text, problem in (
        ("item\n", "1: the line has 1 fields, price has 2"),
        ("item,cost\ntea,1\n", "1: the header is item, cost, but price has the columns item, amount"),
        ("item,amount\ntea,1\nsalt\n", "3: the line has 1 fields, price has 2"),
        ('item,amount\n"te\na",1\nsalt,x\n', "4: column amount, value 'x': not a value of its datatype"),
        ("item,amount\ntea,1\nsalt,2\ntea,3\n", "4: the line has the same key as line 2: price has the key item"),
        ('item,amount\n"tea"x,1\n', "2: "),
        ('item,amount\n"tea', "2: "),
    ):
        facts.write_text(text)
        assert error_of(*options, stdin="").startswith(f"{facts}:{problem}")


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_a_delimiter_is_one_character(delimiter: str, tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text("p(1) .")
    assert "it must be one character, or tab, comma" in error_of(
        "run", tmp_path / "p.dl", "--delimiter", delimiter, status=2
    )
