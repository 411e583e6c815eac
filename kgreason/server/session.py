"""`Sessions`: browsers that have signed in with a token. The cookie of a session is signed, and holds no token.

    kgreason-7878=1763890000.3f2a9c51d0e47b86.9c0d....5d0c...   its end, a name of the token, its own name, signature

The signature is HMAC-SHA-256.

Laws: a cookie has the role of its token, and never a higher one. A session ends after twelve hours, or when its user
signs out. Then every copy of its cookie is refused, and other sessions of the token go on. All sessions end when the
server stops, because each process makes a new key for signatures. Scripts in the browser cannot read the cookie
(HttpOnly). Browsers send it only with requests from the server's own pages (SameSite=Strict).
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Mapping
from hashlib import sha256

from starlette.responses import Response

_COOKIE = "kgreason"
_SECONDS = 12 * 3600


def cookie_of(host: str) -> str:
    """Return the name of the cookie of a server. `host` is the header Host of a request.

    Browsers send the cookies of a host to all its ports. So the name has the port, and the sessions of two servers on
    one host do not replace each other.

    >>> cookie_of("localhost:7878"), cookie_of("graph.example.org")
    ('kgreason-7878', 'kgreason')
    """
    _, colon, port = host.rpartition(":")
    return f"{_COOKIE}-{port}" if colon and port.isdigit() else _COOKIE


class Sessions:
    """Begins and checks the sessions of a server. `tokens` maps each token to its role."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._tokens, self._key = tokens, secrets.token_bytes(32)
        self._ended: dict[str, int] = {}  # cookies of ended sessions, and when each would have ended by itself
        self._roles = {self._name(token): role for token, role in tokens.items()}

    def _name(self, token: str) -> str:
        return self._signed(f"token {token}")[:16]

    def _signed(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), sha256).hexdigest()

    def role_of_token(self, given: str) -> str | None:
        """Return the role of a token, or None for an unknown token. Each unknown token takes the same time."""
        found = None
        for token, role in self._tokens.items():
            if hmac.compare_digest(token.encode(), given.encode(errors="surrogateescape")):
                found = role
        return found

    def role_of_cookie(self, cookie: str) -> str | None:
        """Return the role of the session with this cookie; None if the cookie is forged or the session has ended."""
        text, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._signed(text).encode(), signature.encode(errors="surrogateescape")):
            return None
        until, name, _ = text.split(".")
        return self._roles.get(name) if time.time() < int(until) and text not in self._ended else None

    def begin(self, response: Response, host: str, token: str, *, is_secure: bool) -> None:
        """Give a browser the cookie of a new session, in `response`. The browser has sent the known `token` to `host`.

        With `is_secure` the browser sends the cookie over HTTPS only.
        """
        text = f"{int(time.time()) + _SECONDS}.{self._name(token)}.{secrets.token_hex(16)}"
        cookie = f"{text}.{self._signed(text)}"
        response.set_cookie(cookie_of(host), cookie, _SECONDS, httponly=True, samesite="strict", secure=is_secure)

    def end(self, response: Response, host: str, cookie: str | None) -> None:
        """End the session with this cookie, and make the browser that gets `response` delete the cookie of `host`."""
        now = time.time()
        self._ended = {text: until for text, until in self._ended.items() if now < until}
        if cookie is not None and self.role_of_cookie(cookie) is not None:
            text = cookie.rpartition(".")[0]
            self._ended[text] = int(text.partition(".")[0])
        response.delete_cookie(cookie_of(host), httponly=True, samesite="strict")
