"""The committed rule-support table is what the cases and the gaps make of it, and its links lead somewhere."""

from __future__ import annotations

import re

from .cases import cases
from .support import DOCUMENT, document
from .tables import KNOWN


def test_the_document_is_up_to_date() -> None:
    hint = "run `python -m tests.w3crules.support`"
    assert DOCUMENT.read_text("utf-8") == document(), hint


def test_every_rule_has_a_row_and_every_case_a_link() -> None:
    text = document()
    assert all(f"| `{rule}` | " in text for _, rule in KNOWN)
    linked = {(DOCUMENT.parent / path).resolve() for path in re.findall(r"\]\((\.\./[^)]*)\)", text)}
    assert linked == {case.folder for case in cases()}


def test_the_document_says_what_is_missing() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]*) \|", document(), re.MULTILINE))
    assert rows["cax-sco"] == "supported"
    assert rows["scm-cls"] == "supported, off by default: `owl2rl+scm-reflexive`"
    assert rows["rdfD1"].startswith("not: ")
    assert set(rows) >= {rule for _, rule in KNOWN}


def test_the_readme_links_to_the_document() -> None:
    readme = (DOCUMENT.parents[1] / "README.md").read_text("utf-8")
    assert f"docs/{DOCUMENT.name}" in readme
