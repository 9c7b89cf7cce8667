"""Who may ask: keys, and names by which the server may be called."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from .errors import HttpError, bad_request
from .message import Request

ROLES = ("read", "write", "admin")  # each may search
SHORTEST_KEY, LONGEST_KEY = 16, 256


class Keys:
    """Of a file with a line for each: a role and the key, as `warpdex serve` reads it. Without a
    file everyone may ask."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._keys: list[bytes] = []
        self.reload()

    def reload(self) -> None:
        """Reads the file again. Raises InputError, and OSError; the keys are then what they were."""
        if self._path is None:
            return
        keys = []
        for number, line in enumerate(Path(self._path).read_text("utf-8").splitlines(), 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2 or words[0] not in ROLES or not _may_be_key(words[1]):
                raise InputError(
                    f"line {number} of '{self._path}' must be a role (read, write or admin), a "
                    "space, and a key of 16 to 256 visible ASCII characters"
                )
            keys.append(words[1].encode("ascii"))
        if not keys:
            raise InputError(f"there is no key in '{self._path}'; add one")
        self._keys = keys

    def check(self, request: Request) -> None:
        """Raises HttpError (401) for a request without a key, or with another."""
        if self._path is None:
            return
        authorization = request.header("authorization")
        given = (authorization[7:] if authorization[:7].lower() == "bearer "
                 else request.header("x-api-key")).encode("latin-1")
        # All of them: the time must not tell which one it is.
        if not sum(hmac.compare_digest(given, key) for key in self._keys):
            raise HttpError(
                401, "unauthorized", "a key is needed, as Authorization: Bearer KEY",
                WWW_Authenticate="Bearer")


def _may_be_key(text: str) -> bool:
    return SHORTEST_KEY <= len(text) <= LONGEST_KEY and all("!" <= each <= "~" for each in text)


def _name_of(host: str) -> str:
    """Without the port; of [::1]:80, ::1."""
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches it."""
    return address == "localhost" or (is_address(address)
                                      and ipaddress.ip_address(address).is_loopback)


def check_origin(request: Request, names: Sequence[str]) -> None:
    """Refuses (403) what pages of others ask through a browser: a Host that is neither an address,
    nor localhost, nor one of the names; and the Origin of another page."""
    hosts = request.headers.get("host", [])
    if len(hosts) > 1 or (not hosts and not request.is_http_1_0):
        raise bad_request("a request has one Host")
    host = request.header("host")
    name = _name_of(host).lower()
    if hosts and not (is_address(name) or name in ("localhost", *map(str.lower, names))):
        raise HttpError(403, "host_not_allowed", "this server is not called by that Host; ask for "
                        "its address, or allow the name with --host")
    if "origin" in request.headers:
        page = request.header("origin").partition("://")[2]
        if not page or page.lower() != host.lower():
            raise HttpError(403, "origin_not_allowed", "pages of that Origin may not ask this server")
