"""Bytes to an actor of Ray and back. What has more than 100 KB goes through Ray's store of objects,
which takes milliseconds; so long messages go in pieces, and so do the answers to these."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from functools import partial
from typing import Any

# Bytes of a piece, and pieces of the answer to a message that is longer than SHORT.
PIECE = 95_000
COUNT = 8
SHORT = 10_000


def ask(method: Any, argument: Any, message: bytes, **options: Any) -> Future[bytes]:
    """Calls the method of an actor with the argument, a number and pieces of the message. It returns
    cut() of its answer and that number."""
    if len(message) <= SHORT:
        asked: Future[bytes] = method.options(**options).remote(argument, 1, message).future()
        return asked
    pieces = [message[begin:begin + PIECE] for begin in range(0, len(message), PIECE)]
    return _joined(
        method.options(num_returns=COUNT, **options).remote(argument, COUNT, *pieces))


def cut(answer: bytes, count: int) -> bytes | tuple[bytes, ...]:
    """For Ray: so many pieces. An answer that is too long for them is all in the first one."""
    if count == 1:
        return answer
    size = PIECE if len(answer) <= count * PIECE else len(answer)
    return tuple(answer[i * size:(i + 1) * size] for i in range(count))


def _joined(references: list[Any]) -> Future[bytes]:
    whole: Future[bytes] = Future()
    pieces = [b""] * len(references)
    left = len(references)
    lock = threading.Lock()

    def take(number: int, done: Future[bytes]) -> None:
        nonlocal left
        try:
            pieces[number] = done.result()
        except Exception as error:  # noqa: BLE001  of all pieces; the first one is told
            with lock:
                is_first, left = left > 0, 0
            if is_first:
                whole.set_exception(error)
            return
        with lock:
            left -= 1
            is_last = left == 0
        if is_last:
            whole.set_result(b"".join(pieces))

    for number, each in enumerate(references):
        each.future().add_done_callback(partial(take, number))
    return whole
