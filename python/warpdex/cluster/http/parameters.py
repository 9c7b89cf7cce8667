"""Parameters of an address, or members of a JSON body: read by the same names and the same code, and
what nobody reads is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from .errors import HttpError, bad_request

MOST_MEMBERS = 256
DEEPEST = 64
WHOLE = re.compile(r"[0-9]{1,20}")
NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
LARGEST_FLOAT = 3.4028235e38


def parse_json(text: bytes, what: str) -> Any:
    """Raises HttpError (400) for what is no JSON, not UTF-8, or nested too deep."""
    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no number of JSON")

    def member(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        for name, _ in pairs if len(values) < len(pairs) else ():
            if sum(each == name for each, _ in pairs) > 1:
                raise bad_request(f"{what} has the member '{name}' twice; give it once")
        return values

    try:
        value = json.loads(text.decode("utf-8"), parse_constant=refuse, object_pairs_hook=member)
    except HttpError:
        raise
    except RecursionError:
        raise bad_request(f"{what} is nested deeper than {DEEPEST}") from None
    except ValueError as error:
        raise bad_request(f"{what} is no JSON: {error}") from None
    if _depth(value) > DEEPEST:
        raise bad_request(f"{what} is nested deeper than {DEEPEST}")
    return value


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        level = [each for part in level if isinstance(part, (dict, list))
                 for each in (part.values() if isinstance(part, dict) else part)]
        depth += 1
    return depth - 1


def _is_unicode(text: str) -> bool:
    """Whether it has no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Parameters:
    """Each getter returns None for what is not there, and raises HttpError (400), which names the
    parameter, for a value of another kind or out of its range. In an address numbers are read from
    texts, and nothing behind a flag's name is true."""

    def __init__(self, values: Any, what: str, *, is_address: bool = False) -> None:
        if not isinstance(values, dict):
            raise bad_request(f"{what} must be a JSON object")
        if len(values) > MOST_MEMBERS:
            raise bad_request(f"{what} has more than {MOST_MEMBERS} members")
        self._values = values
        self._what = what
        self._is_address = is_address
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def _take(self, name: str) -> Any:
        self._known.append(name)
        return self._values.get(name)

    def _refuse(self, name: str, wanted: str) -> HttpError:
        return bad_request(f"{self._what} has a '{name}' that is no {wanted}")

    def text(self, name: str) -> str | None:
        value = self._take(name)
        if name in self and not (isinstance(value, str) and _is_unicode(value)):
            raise self._refuse(name, "text")
        return value  # type: ignore[no-any-return]

    def flag(self, name: str) -> bool | None:
        value = self._take(name)
        if self._is_address and name in self:
            value = {"": True, "true": True, "false": False}.get(value, value)
        if name in self and not isinstance(value, bool):
            raise self._refuse(name, "true or false")
        return value  # type: ignore[no-any-return]

    def whole(self, name: str, least: int, most: int) -> int | None:
        value = self._take(name)
        if self._is_address and name in self and WHOLE.fullmatch(value):
            value = int(value)
        if name in self and (type(value) is not int or not least <= value <= most):
            raise self._refuse(name, f"whole number from {least} to {most}")
        return value  # type: ignore[no-any-return]

    def real(self, name: str) -> float | None:
        value = self._take(name)
        if name not in self:
            return None
        is_number = type(value) in (int, float)
        if self._is_address:
            is_number = bool(NUMBER.fullmatch(value))
        if not is_number or not -LARGEST_FLOAT <= (number := float(value)) <= LARGEST_FLOAT:
            raise self._refuse(name, "finite number")
        return number

    def json(self, name: str) -> Any:
        """A value of a JSON body; of an address its text."""
        return self._take(name)

    def refuse(self, names: Iterable[str], why: str) -> None:
        """Raises HttpError (400) for a parameter that is there, and must not be."""
        for name in names:
            if name in self:
                raise bad_request(f"'{name}' {why}, or leave it out")

    def finish(self) -> None:
        """Raises HttpError (400), which names them, where there are parameters that no getter asked
        for."""
        unknown = ", ".join(f"'{name}'" for name in self._values if name not in self._known)
        if not unknown:
            return
        raise bad_request(f"{self._what} has {unknown}, which " + (
            f"is not known here; there are {', '.join(self._known)}" if self._known
            else "nothing here takes; leave it out"))
