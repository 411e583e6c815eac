from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.server.serving import client, served

ZOO = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal . :tom a :Cat ; :age "07"^^<http://www.w3.org/2001/XMLSchema#integer> ; :name "Tom"@en .
"""


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server of a small zoo, for the tests of a module."""
    with served(tmp_path_factory.mktemp("served") / "store", text=ZOO) as address, client(address) as found:
        yield found
