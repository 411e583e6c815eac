"""Tokens from a file, which a running server reads again on SIGHUP.

    # role  token             name, which becomes the author of commits
    write   0123456789abcdef  ann

Laws: a file that cannot be used changes nothing. No message has a token.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import NamedTuple

from kgreason.errors import InputError
from kgreason.server.session import Sessions
from kgreason.server.settings import ROLES

_LOGGER = logging.getLogger("kgreason.server")
_LEAST = 16
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+-]{0,63}")


class Tokens(NamedTuple):
    """The tokens of a file: the role of each token, and the names of those tokens that have one."""

    roles: dict[str, str]
    names: dict[str, str]


def read_tokens(path: Path) -> Tokens:
    """Read tokens from a file.

    Each line of the file is `ROLE TOKEN` or `ROLE TOKEN NAME`; empty lines and lines that begin with `#` are skipped.

    Raises InputError; a message never shows a token.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}") from error
    roles: dict[str, str] = {}
    names: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) not in (2, 3) or words[0] not in ROLES:
            raise InputError(f"{path}:{number}: write a role ({', '.join(ROLES)}), a token, and perhaps a name")
        role, token, *name = words
        if len(token) < _LEAST or not token.isascii():
            raise InputError(f"{path}:{number}: a token needs at least {_LEAST} ASCII characters")
        if token in roles:
            raise InputError(f"{path}:{number}: this token has an earlier line already")
        if name and not _NAME.fullmatch(name[0]):
            raise InputError(f"{path}:{number}: a name has at most 64 letters, digits and the characters _ . @ + -")
        roles[token] = role
        if name:
            names[token] = name[0]
    if not roles:
        raise InputError(f"{path}: the file has no token")
    return Tokens(roles, names)


def reload_tokens(path: Path, sessions: Sessions) -> None:
    """Read the tokens of a server again, and log what has changed. If the file cannot be used, log the error only."""
    try:
        after = read_tokens(path)
    except InputError as error:
        _LOGGER.error("the tokens were not read again, and the old ones stay: %s", error)
        return
    before = Tokens(*map(dict, sessions.tokens))
    sessions.replace(*after)
    come = [each for each in after.roles if each not in before.roles]
    gone = [each for each in before.roles if each not in after.roles]
    both = after.roles.keys() & before.roles.keys()
    changed = [each for each in both if _token_text(each, before) != _token_text(each, after)]
    parts = (("added", come, after), ("removed", gone, before), ("changed", changed, after))
    told = "; ".join(f"{what} {len(ones)} ({_list_text(ones, of)})" for what, ones, of in parts if ones)
    _LOGGER.info("the tokens of %s were read again: %s", path, told or "nothing has changed")


def _token_text(token: str, tokens: Tokens) -> str:
    return f"{tokens.roles[token]} {tokens.names.get(token, 'without a name')}"


def _list_text(ones: list[str], tokens: Tokens) -> str:
    return ", ".join(sorted(_token_text(each, tokens) for each in ones))
