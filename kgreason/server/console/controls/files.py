"""`Files`: a field for files of RDF and of rules, which the user drops there or chooses.

The browser sends each file to a path of the server (files.js), so the roles, limits and errors are those of any client,
and a file never passes through the page. Each file is one commit. A file with a bad name or one that is too large is
not sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from markupsafe import Markup
from nicegui.events import GenericEventArguments

from kgreason.server.console.frame import html
from kgreason.server.console.markup import Row, table
from kgreason.server.formats import QUADS, TRIPLES
from kgreason.server.paths.inference import RULES

_SCRIPT = Path(__file__).with_name("files.js").read_text("utf-8")
_STORE = "/store"
_ALL = "/store?"
"""The address for files that name their graphs themselves."""
_FIELD = Markup(
    '<label for="files">Files: drop them here, or choose them</label>'
    '<input id="files" type="file" multiple data-paths="{}" aria-describedby="files-kinds">'
    '<p id="files-kinds" class="mark">{}</p>'
)
_KINDS = "RDF ({}), also packed as .gz. Each file is saved at once, as a commit of its own."
_RULES = " Rules (.dl) need the role admin."


def upload_paths(*, may_edit_rules: bool) -> dict[str, tuple[str, str]]:
    """Return for each suffix of a file the media type and the path to which the file is sent.

    >>> upload_paths(may_edit_rules=False)["ttl"]
    ('text/turtle', '/store')
    """
    found = {suffix: (medias[0], _STORE) for suffix, medias in TRIPLES.items()}
    found |= {"owl": found["rdf"], "json": found["jsonld"]}
    found |= {suffix: (medias[0], _ALL) for suffix, medias in QUADS.items()}
    return found | ({"dl": (RULES, "/rules")} if may_edit_rules else {})


class Files:
    """The field for files. `most` is the largest file in bytes; `saved` is called after the files were sent."""

    def __init__(self, most: int, saved: Callable[[], object], *, may_edit_rules: bool) -> None:
        self._told: dict[str, Row] = {}
        self._saved = saved
        found = upload_paths(may_edit_rules=may_edit_rules)
        given = json.dumps({"media": found, "store": _STORE, "most": most})
        kinds = _KINDS.format(", ".join(f".{each}" for each in found if each != "dl"))
        field = html(_FIELD.format(given, kinds + (_RULES if may_edit_rules else ""))).classes("files")
        field.on("change", self._show_result, js_handler=_SCRIPT)
        self._results = html("").props('aria-live="polite"')

    def _show_result(self, event: GenericEventArguments) -> None:
        told = event.args
        if not isinstance(told, dict):
            self._saved()
            return
        name = str(told.get("name"))
        self._told.pop(name, None)
        self._told[name] = result_row(name, told)
        rows = list(self._told.values())[-100:]
        self._results.set_content(table(["file", "result"], rows, label="Files that were sent"))


def result_row(name: str, told: dict[str, Any]) -> Row:
    """Say what became of a file. `told` is the message of the browser about it."""
    if told.get("sending"):
        return Row([name, "sending…"])
    if told.get("detail"):
        return Row([name, str(told["detail"]).replace("the body", name)], "contradicts")
    commit, asserted, appeared = told.get("counts") or (None,) * 3
    if told.get("committed") == "false":
        return Row([name, "nothing to save: the graph has all of it already"])
    what = "the rules are added" if told.get("isRules") else f"triples asserted: {asserted}"
    return Row([name, f"commit {commit}: {what}, appeared: {appeared}"], "appeared")
