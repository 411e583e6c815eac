"""RDF Patches of anyone's come to what their committed rows say; what is malformed is named by its line."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgreason.errors import RdfSyntaxError
from kgreason.store.journal.patch import SignedRule, message_without_place, net_statements, read_patch
from kgreason.store.journal.record import Record
from tests.tables import table

TRIPLE, OTHER = b"<http://e/a> <http://e/p> <http://e/b> .", b'_:b0 <http://e/p> "x . #"@en <http://e/graph> .'
JENA = b"""
# written elsewhere
H id <uuid:0686c69d-8f89-4496-acb5-744f0157a8db> .
TX .
PA "e" <http://e/> .
A <http://e/a> <http://e/p> <http://e/b> .\r
A\t<_:b0>  <http://e/p>\t"x . #"@EN <http://e/graph>.
PD "e" .
TC .
TX .
D <http://e/a> <http://e/p> <http://e/b> .
H add-rule "p(?x) :- q(?x) ." .
TA .
"""


def test_a_patch_of_others_is_read() -> None:
    assert read_patch(JENA, "p") == (b"", TRIPLE + b"\n" + OTHER.replace(b"@en", b"@EN") + b"\n", ())


def test_nothing_is_nothing() -> None:
    assert read_patch(b"", "p") == read_patch(b"TX .\nTC .\n", "p") == (b"", b"", ())


def test_rows_before_a_transaction_count_even_if_it_is_dropped() -> None:
    text = b'H add-rule "p(?x) :- q(?x) ." .\nA ' + TRIPLE + b"\nTX .\nA " + OTHER + b"\nTA .\n"
    assert read_patch(text, "p") == (b"", TRIPLE + b"\n", ())


def test_strings_keep_what_looks_like_a_node() -> None:
    row = rb'<http://e/a> <http://e/p> "\" <_:b>" .'
    assert read_patch(b"A " + row, "p").added == row + b"\n"


_rows = st.lists(st.tuples(st.sampled_from([1, -1]), st.sampled_from([TRIPLE, OTHER, TRIPLE.replace(b"b>", b"c>")])))


@given(st.lists(st.tuples(_rows, st.booleans())))
@example([([(1, TRIPLE)], True), ([(-1, TRIPLE)], False), ([(-1, OTHER)], True)])
def test_the_last_row_of_a_transaction_that_was_committed_wins(
    transactions: list[tuple[list[tuple[int, bytes]], bool]],
) -> None:
    text, wishes = b"", dict[bytes, int]()
    for rows, is_kept in transactions:
        text += b"TX .\n" + b"".join((b"A " if sign > 0 else b"D ") + row + b"\n" for sign, row in rows)
        text += b"TC .\n" if is_kept else b"TA .\n"
        wishes |= {row: sign for sign, row in rows} if is_kept else {}
    removed, added, _ = read_patch(text, "p")
    assert set(removed.splitlines()) == {row for row, sign in wishes.items() if sign < 0}
    assert set(added.splitlines()) == {row for row, sign in wishes.items() if sign > 0}


def test_records_of_the_journal_are_read() -> None:
    fact, rule = 'edge(<http://e/a>, "b") .', "[?x, <http://e/p>, ?x] :- [?x, <http://e/q>, ?x] ."
    record = Record(7, TRIPLE + b"\n", OTHER + b"\n", ((-1, rule),), ((1, fact),), {"stream": "s"})
    patch = read_patch(record.patch(), "p")
    assert (patch.removed, patch.added) == (record.removed, record.added)
    assert patch.rules == (SignedRule(4, -1, rule), SignedRule(5, 1, fact.removesuffix(" .")))


@table(
    ("text", "line", "message"),
    [
        (b"TX .\nA <http://e/a> <http://e/p> .\nTC .", 2, "object"),
        (b"TX .\n\nA <a> <http://e/p> <http://e/b> .\nTC .", 3, "No scheme"),
        (b"TX .\nA <http://e/a> <http://e/p> <http://e/b>\nTC .", 2, "not a row"),
        (b"TX .\nA # a comment .\nTC .", 2, "not a triple"),
        (b"TX .\nA .\nTC .", 2, "subject"),
        (b"TX .\nX <http://e/a> .\nTC .", 2, "not a row"),
        (b'TX .\nA <http://e/a> <http://e/p> "\xff" .\nTC .', 2, "UTF-8"),
        (b'TX .\nA <http://e/a> <http://e/p> <http://e/b> "http://e/document" .\nTC .', 2, "subject|graph"),
        (b"A " + TRIPLE + b"\nTX .\nA " + TRIPLE, 2, "no end"),
        (b"TX .\nTX .\nTC .", 2, "inside the transaction of line 1"),
        (b"TC .", 1, "none has begun"),
        (b'H add-rule "\\q" .', 1, "unknown escape"),
    ],
)
def test_a_malformed_row_is_named(text: bytes, line: int, message: str) -> None:
    with pytest.raises(RdfSyntaxError, match=message) as caught:
        read_patch(text, "p.rdfp")
    assert (caught.value.source, caught.value.line) == ("p.rdfp", line)


BAD = [b"# .", b" # .", b"", *(TRIPLE + between + TRIPLE for between in (b"\n", b"\r", b" ")), b"<http://e/a> ."]


@table("bad", BAD)
def test_a_statement_is_one_quad(bad: bytes) -> None:
    with pytest.raises(SyntaxError) as caught:
        net_statements([1, 1, -1], [TRIPLE, bad, OTHER])
    assert caught.value.lineno == 2
    assert not message_without_place(caught.value).startswith("Parser")


def test_facts_of_relations_are_told_from_rules_by_the_full_stop() -> None:
    record = Record(7, rules=((1, "p(?x) :- q(?x) ."),), facts=((1, "q(<urn:a>) ."), (-1, "q(<urn:b>) .")))
    found = [(rule.sign, rule.text) for rule in read_patch(record.patch(), "p").rules]
    assert found == [(1, "p(?x) :- q(?x) ."), (1, "q(<urn:a>)"), (-1, "q(<urn:b>)")]
