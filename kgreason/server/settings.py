"""`Settings`: what the options of `kgreason serve` say. The defaults are safe for a server that others can reach."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.request import url2pathname

from kgreason.cpus import memory
from kgreason.errors import InputError

ROLES = ("read", "write", "admin")
"""The roles of tokens. A role may do everything that the roles before it may do."""
LEAST_MEMORY = 1 << 29
"""The least number of bytes of memory that a query process may be limited to."""
_ORIGIN = re.compile(r"null|[a-z][a-z0-9+.-]*://[^/?#@A-Z\s]+")
"""An origin: a scheme, a host in lower case and perhaps a port, without a slash at the end."""
_SLASHES = 3
"""An address with a host and a path has at least this many slashes, as http://example.org/ has."""


@dataclass(frozen=True)
class Settings:
    """The options of a server.

    - `store`: the folder of the store
    - `host`, `port`: the address to listen on; with port 0 the system chooses one
    - `is_public`: whether a server without tokens may listen where other machines can reach it
    - `tokens`: the role of each bearer token; without tokens everybody who reaches the server may do everything
    - `token_names`: the names of those tokens that have one; a name becomes the author of commits
    - `token_file`: the file of the tokens, which SIGHUP has the server read again. Without it SIGHUP stops the server
    - `names`: the names that the Host header of a request may have, besides `host`. If `host` is a loopback address,
      the header may also have the other names of the loopback. If not, and without `names`, it may have any name
    - `origins`: the origins of other web pages that may use the server (CORS)
    - `loads`: LOAD may read the files with these IRIs, and all files below one that ends in `/`
    - `services`: SERVICE in a query may ask services whose IRIs begin with one of these prefixes, which end in `/`
    - `query_bytes`: how many bytes of memory (heap and stacks) a query process may have; it starts with 0.2 GB. None is
      no limit. The command line has `share_of_memory` as its default
    - `query_seconds`: how many seconds a query may take, the time to send its rows included
    - `standing_seconds`: how long all standing queries together may hold up the next edit after a commit; and how long
      a standing query may take each time that is evaluated as a whole
    - `question_seconds`, `question_bytes`: how long a question that needs the engine may run, such as /what-if or
      /explain, and by how many bytes the memory of the server may grow meanwhile. The rows of all standing queries may
      have as many characters together
    - `hold_seconds`: how long such a question may hold up an edit
    - `what_if_budget`: how many rewrites a what-if may extend; None is no limit
    - `what_if_role`: the role that a client needs for /what-if
    - `answer_bytes`: how many bytes an answer may have; None is no limit
    - `body_bytes`: how many bytes the body of a request may have, after it was unpacked
    - `body_seconds`: how long the server waits for the next piece of a body
    - `queries`, `queries_waiting`: how many queries run at once, and how many may wait
    - `writers_waiting`: how many edits may wait
    - `budget`: how many rewrites one commit may extend; None is no limit
    - `most_made_terms`, `most_rounds`: what a recursion may do in one commit; see `KnowledgeGraph.open`
    - `connections`: how many connections there may be at once, and at most half as many as the process may open files
    - `streams`: how many clients may follow the changes at once
    - `kept`: how many bytes of past changes the feed keeps
    - `access_log`: the form of the access log, "plain" or "json"; None is no log, unless there is a file for it
    - `access_file`: the file of the access log; None is standard error
    - `root_path`: the prefix of all paths, such as /kg, when a proxy serves the server below a path
    - `trusted_proxies`: addresses and networks of proxies whose X-Forwarded headers are believed
    - `console`: whether the server has the console; one server of a process can have it
    """

    store: Path
    host: str = "127.0.0.1"
    port: int = 7878
    is_public: bool = False
    tokens: dict[str, str] = field(default_factory=dict, repr=False)
    token_names: dict[str, str] = field(default_factory=dict, repr=False)
    token_file: Path | None = None
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    query_bytes: int | None = None
    query_seconds: float = 60
    standing_seconds: float = 1
    question_seconds: float = 10
    question_bytes: int | None = 1 << 30
    hold_seconds: float = 0.5
    what_if_budget: int | None = 100_000_000
    what_if_role: str = ROLES[0]
    answer_bytes: int | None = None
    body_bytes: int = 1 << 30
    body_seconds: float = 30
    queries: int = 8
    queries_waiting: int = 64
    writers_waiting: int = 64
    budget: int | None = None
    most_made_terms: int | None = None
    most_rounds: int | None = None
    connections: int = 4096
    streams: int = 100
    kept: int = 1 << 26
    access_log: str | None = None
    access_file: Path | None = None
    root_path: str = ""
    trusted_proxies: tuple[str, ...] = ()
    console: bool = False

    def check(self) -> None:
        """Raise InputError if everybody on the network could change the graph, unless `is_public` is set.

        Also raise InputError for a prefix in `services` that other hosts could match, because it lacks a slash at the
        end: http://example.org.evil/ begins with http://example.org. Also raise InputError for a folder in `loads`
        without a slash at the end, and for a text in `origins` that no browser would send as an origin.
        """
        for prefix in self.services:
            if not prefix.endswith("/") or prefix.count("/") < _SLASHES:
                raise InputError(f"--allow-service {prefix}: end the prefix with a slash, as in http://example.org/")
        for allowed in self.loads:
            if not allowed.startswith("file:///"):
                raise InputError(f"--allow-load {allowed}: give the IRI of a file or a folder, as in file:///data/")
            if not allowed.endswith("/") and Path(url2pathname(allowed.removeprefix("file://"))).is_dir():
                raise InputError(f"--allow-load {allowed}: it is a folder; end the IRI with a slash")
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise InputError(f"--cors {origin}: write an origin as browsers do, as in https://example.org:8443")
        if not (is_loopback(self.host) or self.tokens or self.is_public):
            raise InputError(
                f"--bind {self.host}: other machines can reach this address; give --token-file so that only holders of"
                " a token are served, or --public to serve everybody"
            )


def share_of_memory(queries: int) -> int | None:
    """Return how many bytes each query process may have, if all of them together may have half of the memory.

    A share is at least `LEAST_MEMORY`. Returns None where a process cannot be limited.
    """
    return max(memory() // 2 // queries, LEAST_MEMORY) if hasattr(os, "sysconf") else None


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach a server at this address.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_and_port(text: str) -> tuple[str, int]:
    """Return the host and the port that the text of `--bind` names. Raises InputError.

    >>> host_and_port("127.0.0.1:7878"), host_and_port("[::1]:0")
    (('127.0.0.1', 7878), ('::1', 0))
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError(f"--bind {text}: write HOST:PORT, such as 127.0.0.1:7878")
    return host, int(port)
