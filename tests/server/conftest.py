from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator

import httpx
import pytest

from tests.server.serving import client, served

ZOO = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal . :tom a :Cat ; :age "07"^^<http://www.w3.org/2001/XMLSchema#integer> ; :name "Tom"@en .
"""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server of a small zoo, for the tests of a module."""
    with served(tmp_path_factory.mktemp("served") / "store", text=ZOO) as address, client(address) as found:
        yield found
