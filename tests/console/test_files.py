"""Files that are dropped on the page Edit, in a real browser: what becomes of each, by its kind and by the role."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from tests.console.browsing import EVIL, serving, visiting
from tests.console.test_safety import enter

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TOKENS = {role: role[0] * 16 for role in ("read", "write", "admin")}
FILES = {
    "cats.ttl": b"@prefix e: <http://e/> . e:kit a e:Cat .",
    "packed.nt.gz": gzip.compress(b"<http://e/pip> a <http://e/Cat> .".replace(b" a ", b" <http://e/b> ")),
    "graphs.trig": b"<http://e/graph> { <http://e/a> <http://e/b> <http://e/c> }",
    "wrong.ttl": b"<http://e/a> <http://e/b> ",
    "picture.png": b"x",
    "large.nt": b"#" * 3000,
    "rules.dl": b"knows(?x, ?y) :- meets(?x, ?y) .",
    "<b>.ttl": EVIL.encode(),
}


def send(page: Page, folder: Path) -> dict[str, str]:
    """Drop all files at once. Returns the result of each."""
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    page.locator("#files").set_input_files([folder / name for name in FILES])
    rows = page.get_by_role("region", name="Files that were sent").locator("tbody tr")
    page.wait_for_function("document.getElementById('files') && !document.getElementById('files').disabled")
    page.wait_for_function(
        f"document.querySelectorAll('[aria-label=\"Files that were sent\"] tbody tr').length === {len(FILES)}"
    )
    return {cells[0]: cells[1] for cells in (row.split("\t") for row in rows.all_inner_texts())}


def test_each_file_has_its_result(browser: Browser, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(f"{role} {token}\n" for role, token in TOKENS.items()))
    options = ("--token-file", str(tokens), "--max-body", "2000")
    with serving(tmp_path / "store", *options) as address:
        with visiting(browser, address) as page:
            enter(page, TOKENS["read"], "/console/edit")
            page.get_by_text("sign in with a token of the role write").wait_for()
            assert page.locator("#files").count() == 0
        with browser.new_context(base_url=address) as context:  # the browser logs the answer 400 as an error
            page = context.new_page()
            enter(page, TOKENS["write"], "/console/edit")
            told = send(page, tmp_path)
            assert "triples asserted: 1, appeared: 3" in told["cats.ttl"]
            assert "triples asserted: 1" in told["packed.nt.gz"]
            assert "triples asserted: 1" in told["graphs.trig"]
            assert told["wrong.ttl"].startswith("wrong.ttl:1:")
            assert "must end with" in told["picture.png"]
            assert "2000 bytes (--max-body)" in told["large.nt"]
            assert "must end with" in told["rules.dl"]
            assert told["<b>.ttl"].startswith("<b>.ttl:1:")
            assert page.title() != "owned"
        with browser.new_context(base_url=address) as context:
            page = context.new_page()
            enter(page, TOKENS["admin"], "/console/edit")
            page.get_by_label("Graph").fill("http://e/mine")
            told = send(page, tmp_path)
            assert "the rules are added" in told["rules.dl"]
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {TOKENS['read']}"}) as http:
            ask = (
                "ASK { GRAPH <http://e/mine> { <http://e/kit> a <http://e/Cat> } GRAPH <http://e/graph> { ?a ?b ?c } }"
            )
            assert http.post("/query", data={"query": ask}).json()["boolean"]
