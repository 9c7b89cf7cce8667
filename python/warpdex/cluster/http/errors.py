"""Failures as HTTP tells them, in the form of the routes of /v1."""

from __future__ import annotations

import http
import json

from ...errors import Error, InputError, UsageError


class HttpError(Exception):
    """A status with a reason. `headers`: of its answer."""

    def __init__(self, status: int, kind: str, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status = status
        self.kind = kind
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def body(self, request_id: str) -> str:
        """A line of JSON."""
        told = {"status": self.status, "type": self.kind, "reason": str(self)}
        values = {"error": told, "request_id": request_id}
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def bad_request(reason: str) -> HttpError:
    return HttpError(400, "bad_request", reason)


def too_busy(reason: str) -> HttpError:
    return HttpError(429, "too_busy", reason, Retry_After="1")


def unavailable(reason: str) -> HttpError:
    return HttpError(503, "unavailable", reason, Retry_After="1")


def of_exception(error: BaseException) -> HttpError:
    """What an exception stands for."""
    if isinstance(error, HttpError):
        return error
    if isinstance(error, (UsageError, InputError, TypeError)):
        # The broker numbers the queries of a batch; here each is alone.
        return bad_request(str(error).removeprefix("query 0: "))
    if isinstance(error, Error):  # a part does not answer, or not in time
        return unavailable(str(error))
    return HttpError(500, "internal_error", str(error) or type(error).__name__)


def phrase(status: int) -> str:
    """What follows the status in an answer's first line."""
    return http.HTTPStatus(status).phrase
