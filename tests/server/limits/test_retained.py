"""What a server keeps of each commit: at most what its feed may keep."""

from __future__ import annotations

from pathlib import Path

from tests.graph.commits.test_retained import TOM, growth
from tests.server.serving import client, served


def test_a_server_keeps_nothing_of_a_commit_but_its_feed(tmp_path: Path) -> None:
    """With a feed that keeps nothing, a commit leaves nothing once the list of the last commits is full."""
    text = {"Content-Type": "application/sparql-update"}
    with served(tmp_path / "store", kept=0) as address, client(address) as http:

        def edits() -> None:
            for verb in ("INSERT", "DELETE"):
                assert http.post("/update", content=f"{verb} DATA {{ {TOM} }}", headers=text).status_code == 204

        assert growth(edits, 105) < 105  # an object for each commit would be 210
