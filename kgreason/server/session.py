"""`Sessions`: browsers that have signed in with a token. The cookie of a session is signed, and holds no token.

`Holder` is who has a token. Tickets for streams (`operation.tickets`) are signed in the same way.

    kgreason-7878=1763890000.3f2a9c51d0e47b86.1763890000-9c0d....5d0c...
                  its end    a name of the token  the session's name, with its end     signature: HMAC-SHA-256

Laws: a cookie has the role of its token, and never a higher one. A session ends after twelve hours, with its token, or
when its user signs out. Then every copy of its cookie and all its tickets are refused, and its streams end at their
next event; other sessions of the token go on. All sessions end when the server stops, because each process makes a new
key for signatures. Scripts in the browser cannot read the cookie (HttpOnly). Browsers send it only with requests from
the server's own pages (SameSite=Strict).
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.types import Scope

from kgreason.server.request.ids import client_of
from kgreason.server.request.logins import RefusedLogins

_COOKIE = "kgreason"
_SECONDS = 12 * 3600
_MOST_ENDED = 1_000
"""The server remembers at most 1,000 ended sessions of a token. After one more, all sessions of the token end."""
TICKET_SECONDS = 60
"""How long a ticket for streams can be used."""
HOLDER = "kgreason.holder"
"""The key of a scope under which paths find the `Holder` of the client's token; None if the server has no tokens."""


class Holder(NamedTuple):
    """Who has a token: an `id` that does not tell the token, the `role`, and the `name`, which may be empty.

    `session` names the session of a browser, and begins with its end. It is empty for the token itself.
    """

    id: str
    role: str
    name: str = ""
    session: str = ""


def author_of(scope: Scope) -> str | None:
    """Return the author of the commits of a request: the name of the client's token, or None if it has no name."""
    holder: Holder | None = scope.get(HOLDER)
    return holder.name or None if holder else None


def reader_of(scope: Scope) -> str:
    """Return a name of who sent a request: the id of the client's token, or its address if the server has no tokens."""
    holder: Holder | None = scope.get(HOLDER)
    return holder.id if holder else client_of(scope)


def cookie_of(host: str, root: str = "") -> str:
    """Return the name of the cookie of a server. `host` is the header Host of a request, `root` the prefix of its path.

    Browsers send the cookies of a host to all its ports. So the name has the port and the prefix, and the sessions of
    two servers on one host do not replace each other.

    >>> cookie_of("localhost:7878"), cookie_of("graph.example.org", "/kg")
    ('kgreason-7878', 'kgreason-kg')
    """
    _, colon, port = host.rpartition(":")
    name = f"{_COOKIE}-{port}" if colon and port.isdigit() else _COOKIE
    return f"{name}{root.replace('/', '-')}"


class Sessions:
    """Begins and checks the sessions of a server. The arguments are those of `replace`."""

    def __init__(self, roles: Mapping[str, str], names: Mapping[str, str] | None = None) -> None:
        self._key = secrets.token_bytes(32)
        self._ended: dict[str, set[str]] = {}
        """For each token its sessions that have ended before their time."""
        self._over: dict[str, int] = {}
        """For each token: its sessions that end until this time have ended."""
        self.refused = RefusedLogins()
        self.replace(roles, names or {})

    def replace(self, roles: Mapping[str, str], names: Mapping[str, str]) -> None:
        """From now on accept these tokens alone: `roles` maps each token to its role, `names` some tokens to names.

        The sessions, tickets and streams of other tokens end.
        """
        self.tokens = roles, names
        self._holders = {self._id_of(token): self._holder(token) for token in roles}

    def _holder(self, token: str) -> Holder:
        roles, names = self.tokens
        return Holder(self._id_of(token), roles[token], names.get(token, ""))

    def _id_of(self, token: str) -> str:
        return self._signature(f"token {token}")[:16]

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), sha256).hexdigest()

    def holder_of_token(self, given: str) -> Holder | None:
        """Return who has a token, or None for an unknown token. Each unknown token takes the same time."""
        found = None
        for token in self.tokens[0]:
            if hmac.compare_digest(token.encode(), given.encode(errors="surrogateescape")):
                found = token
        return None if found is None else self._holder(found)

    def holder_of_cookie(self, cookie: str) -> Holder | None:
        """Return whose session has this cookie; None if the cookie is forged or the session has ended."""
        return self._holder_of(cookie, "cookie ")

    def ticket(self, holder: Holder | None) -> str:
        """Return a new ticket of somebody."""
        text = f"{int(time.time()) + TICKET_SECONDS}.{holder.id if holder else ''}.{holder.session if holder else ''}"
        return f"{text}.{self._signature(f'ticket {text}')}"

    def holder_of_ticket(self, ticket: str) -> Holder | None:
        """Return whose ticket this is; None if the ticket is forged or too old."""
        return self._holder_of(ticket, "ticket ")

    def _holder_of(self, signed: str, kind: str) -> Holder | None:
        """Return the holder that the signed text of a cookie or a ticket names, if it is of this kind and in time."""
        text, _, signature = signed.rpartition(".")
        own = self._signature(f"{kind}{text}").encode()
        if not hmac.compare_digest(own, signature.encode(errors="surrogateescape")):
            return None
        until, name, session = text.split(".")
        holder = self._holders.get(name)
        if holder is None or time.time() >= int(until) or self._has_ended(name, session):
            return None
        return holder._replace(session=session)

    def _has_ended(self, name: str, session: str) -> bool:
        """Whether a session of the token `name` has ended before its time. A token itself is no session."""
        over = self._over.get(name, 0)
        return bool(session) and (_end_time(session) <= over or session in self._ended.get(name, ()))

    def is_known(self, scope: Scope) -> bool:
        """Whether the client that sent a request still has a token of this server, and has not signed out."""
        holder: Holder | None = scope.get(HOLDER)
        return holder is None or (holder.id in self._holders and not self._has_ended(holder.id, holder.session))

    def begin(self, response: Response, host: str, token: str, *, is_secure: bool, root: str = "") -> None:
        """Give a browser the cookie of a new session, in `response`. The browser has sent the known `token` to `host`.

        With `is_secure` the browser sends the cookie over HTTPS only. `root` is the prefix of the server's paths.
        """
        name = self._id_of(token)
        until = max(int(time.time()) + _SECONDS, self._over.get(name, 0) + 1)
        text = f"{until}.{name}.{until}-{secrets.token_hex(16)}"
        cookie = f"{text}.{self._signature(f'cookie {text}')}"
        how: Any = {"httponly": True, "samesite": "strict", "path": root or "/"}
        response.set_cookie(cookie_of(host, root), cookie, _SECONDS, secure=is_secure, **how)

    def end(self, response: Response, host: str, cookie: str | None, root: str = "") -> None:
        """End the session with this cookie, and make the browser that gets `response` delete the cookie of `host`.

        `root` is the prefix of the server's paths.
        """
        if cookie is not None and (holder := self.holder_of_cookie(cookie)) is not None:
            now = time.time()
            ended = {holder.session, *(each for each in self._ended.get(holder.id, ()) if now < _end_time(each))}
            if len(ended) > _MOST_ENDED:
                self._over[holder.id], ended = max(map(_end_time, ended)), set()
            self._ended[holder.id] = ended
        response.delete_cookie(cookie_of(host, root), root or "/", httponly=True, samesite="strict")


def _end_time(session: str) -> int:
    return int(session.partition("-")[0])
