"""Assistants that speak the Model Context Protocol ask a store; the client is that of the package `mcp`."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters

from tests.cli.calling import PROGRAM
from tests.server.serving import served

ZOO = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal ; <http://www.w3.org/2002/07/owl#disjointWith> :Dog . :tom a :Cat .
"""
TOM = "INSERT DATA { <http://e/tom> a <http://e/Dog> }"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(ZOO)
    return tmp_path / "store"


def talk(place: object, session: Callable[[Client], Awaitable[None]], *options: str) -> None:
    """Start the command as an assistant does, and talk to it over standard input and output."""
    program, *arguments = PROGRAM
    started = StdioServerParameters(command=program, args=[*arguments, "mcp", "-l", str(place), *options])

    async def talking() -> None:
        async with Client(started) as client:
            await session(client)

    anyio.run(talking)


async def call(client: Client, name: str, **arguments: Any) -> Any:
    """The result of a tool that goes well."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    text: str = result.content[0].text  # type: ignore[union-attr]
    return text if name == "explain" else json.loads(text)


async def refused(client: Client, name: str, **arguments: Any) -> str:
    """The message of a tool that fails."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


async def ask(client: Client) -> None:
    """Use every tool that reads."""
    assert {tool.name for tool in (await client.list_tools()).tools} == {"query", "explain", "what_if", "schema"}
    found = await call(client, "query", sparql="SELECT ?c { <http://e/tom> a ?c } ORDER BY ?c")
    assert found == {"columns": ["c"], "rows": [["<http://e/Animal>"], ["<http://e/Cat>"]], "complete": True}
    assert (await call(client, "query", sparql="ASK { <http://e/tom> a <http://e/Dog> }")) == {"answer": False}
    short = await call(client, "query", sparql="CONSTRUCT WHERE { ?s ?p ?o }", limit=1)
    assert len(short["triples"]) == 1
    assert not short["complete"]
    assert "cax-sco" in await call(client, "explain", triple="<http://e/tom> a <http://e/Animal>")
    would = await call(client, "what_if", update=TOM)
    assert would["counts"] == {"appear": 1, "disappear": 0}
    assert "disjoint" in would["contradictions"][0]
    schema = await call(client, "schema")
    assert schema["classes"]["<http://e/Animal>"] == 1
    assert "subClassOf" in str(schema["properties"])
    assert "does not have this triple" in await refused(client, "explain", triple="<http://e/tom> a <http://e/Dog>")
    assert "LOAD is refused" in await refused(client, "what_if", update="LOAD <file:///etc/passwd>")
    assert await refused(client, "query", sparql="SELECT")
    service = "{ SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }"
    assert "SERVICE is refused" in await refused(client, "query", sparql=f"SELECT * {service}")
    inserted = f"INSERT {{ ?s ?p ?o }} WHERE {service}"
    assert "SERVICE is refused" in await refused(client, "what_if", update=inserted)
    assert "nknown tool" in await refused(client, "update", update=TOM)


def test_an_assistant_asks_a_store(store: Path) -> None:
    talk(store, ask)
    with KnowledgeGraph.open(store, read_only=True) as graph:
        assert graph.commit == 1


def test_an_assistant_asks_a_server(store: Path) -> None:
    with served(store) as address:
        talk(address, ask)


def test_an_assistant_edits_if_it_may(store: Path) -> None:
    async def edit(client: Client) -> None:
        made = await call(client, "update", update=TOM)
        assert made["appear"] == ["<http://e/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Dog>"]
        assert (await call(client, "query", sparql="ASK { <http://e/tom> a <http://e/Dog> }"))["answer"]
        assert "LOAD is refused" in await refused(client, "update", update="LOAD <file:///etc/passwd>")

    talk(store, edit, "--write")
    with KnowledgeGraph.open(store, read_only=True) as graph:
        assert ("http://e/tom", "a", "http://e/Dog") in graph


def test_without_the_package_the_command_says_so(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.cli.calling import error_of

    monkeypatch.setitem(sys.modules, "kgreason.bridges.mcp", None)
    assert "kgreason[mcp]" in error_of("mcp", "-l", store)
