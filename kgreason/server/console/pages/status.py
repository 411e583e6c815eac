"""The page Status: facts, memory, the times of the last commits, and slow queries (/status, /slow-queries)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from math import log10
from typing import Any

from markupsafe import Markup
from starlette.requests import Request

from kgreason.server.console.frame import Frame, html
from kgreason.server.console.markup import Row, empty_notice, notice, rule_text, table
from kgreason.server.console.vocabulary import Words

_SECONDS = 3
_LEAST = 1e-4
_BARS = 60
_NAMES = {
    "facts": "triples",
    "asserted": "asserted",
    "inferred": "inferred",
    "contradictions": "contradictions",
    "rules": "rules",
    "axioms": "axioms",
    "terms": "terms",
    "named": "in named graphs",
}


async def status_page(request: Request) -> None:
    """Make the page Status."""
    with Frame(request, "Status") as frame:
        content, queries = html(""), html("")

    async def follow() -> None:
        while True:
            content.set_content(status_markup(await frame.calls.json("/status"), frame.words))
            frame.hide_loading()
            if frame.has_role("admin"):
                queries.set_content(slowest_queries(await frame.calls.json("/slow-queries")))
            await asyncio.sleep(_SECONDS)

    frame.when_connected(follow)


def status_markup(told: dict[str, Any], words: Words) -> Markup:
    """Show the state of the server as HTML. `told` is the answer of /status."""
    stats = told["stats"]
    graph = {name: f"{stats[key]:,}" for key, name in _NAMES.items()} | {"commit": f"{told['commit']:,}"}
    server = {
        "memory": _bytes(told["resident_bytes"]),
        "of it facts": _bytes(stats["engine_bytes"]),
        "of it terms": _bytes(stats["dictionary_bytes"]),
        "edits that wait": str(told["waiting"]["edits"]),
        "queries that wait": str(told["waiting"]["queries"]),
        "query processes": str(told["query_processes"]),
        "followers": str(told["streams"]),
        "running for": _duration(told["seconds"]),
    }
    warnings = [notice(rule_text(each, words), "warning") for each in told["warnings"][:20]]
    parts = [*warnings, _section("Graph", _counts(graph)), _section("Server", _counts(server))]
    return Markup("").join([*parts, _section("Time of the last commits", _chart(told["commits"]))])


def _section(title: str, content: Markup) -> Markup:
    return Markup("<section><h2>{}</h2>{}</section>").format(title, content)


def _counts(counts: dict[str, str]) -> Markup:
    cells = [Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(name, text) for name, text in counts.items()]
    return Markup('<dl class="counts">{}</dl>').format(Markup("").join(cells))


def _chart(commits: Sequence[dict[str, Any]]) -> Markup:
    """Draw the times of the last commits as bars on a logarithmic scale. A line below gives median and longest time."""
    if not commits:
        return empty_notice("No commit since the server began", "The times of commits appear here.")
    shown = list(commits)[-_BARS:]
    ordered = sorted(each["seconds"] for each in shown)
    median, most = _milliseconds(ordered[len(ordered) // 2]), _milliseconds(ordered[-1])
    told = f"median {median}, longest {most}, of {len(ordered)}; the scale is logarithmic"
    heights = [_height(each["seconds"], ordered[-1]) for each in shown]
    bars = [
        Markup('<rect x="{}" y="{:.1f}" width="8" height="{:.1f}"><title>commit {}: {}</title></rect>').format(
            10 * place, 100 - height, height, each["commit"], _milliseconds(each["seconds"])
        )
        for place, (each, height) in enumerate(zip(shown, heights, strict=True))
    ]
    return _CHART.format(10 * _BARS, f"Time of commits: {told}", Markup("").join(bars), told)


def _height(seconds: float, most: float) -> float:
    """Return the height of the bar for a time: 2 for a tenth of a millisecond or less, 100 for the time `most`."""
    return 2 + 98 * log10(max(seconds / _LEAST, 1)) / max(log10(most / _LEAST), 1)


_CHART = Markup(
    '<svg class="chart" viewBox="0 0 {} 100" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg><p>{}</p>'
)


def slowest_queries(queries: Sequence[dict[str, Any]]) -> Markup:
    """Show the slowest queries as HTML."""
    if not queries:
        return Markup("")
    rows = [
        Row(
            [
                _milliseconds(each["seconds"]),
                Markup('<span class="time">{}</span>').format(time.strftime("%H:%M:%S", time.localtime(each["begun"]))),
                Markup("<pre>{}</pre>").format(each["text"]),
            ]
        )
        for each in queries[:10]
    ]
    return _section(
        "Slowest queries", table(["to first row", "begun", "query"], rows, label="Slow queries", numbers=(0,))
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"


def _bytes(count: int | None) -> str:
    return "unknown" if count is None else f"{count / 1e6:,.1f} MB"


def _duration(seconds: float) -> str:
    minutes, hours = int(seconds // 60), int(seconds // 3600)
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
