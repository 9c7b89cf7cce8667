"""The replicas of parts as Python sees them: threads send them what they are asked. Which one is
asked when, deadlines and second tries are the library's (warpdex/parts.hpp): Ray takes seconds to
see a dead process and a minute to see a dead host."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import partial

from .._core import ReplicaCounters, ReplicaSet
from ..errors import Error

__all__ = ["LacksVersion", "ReplicaCounters", "ReplicaSettings", "Replicas", "Send"]

# Begins to ask a message. It may stand still where a host is cut off.
Send = Callable[[bytes], "Future[bytes]"]

END_TIME = 1.0  # seconds for which the end of the process waits for threads that send


@dataclass(frozen=True)
class ReplicaSettings:
    """When which replica is asked. Times in seconds."""

    hedge_rank: float = 0.95
    """A second replica is asked when this share of the part's answers would have come."""
    first_hedge: float = 0.05
    """The same before there are `samples` answers to messages about as long; more for long ones."""
    samples: int = 20
    window: int = 500
    """So many answers are remembered."""
    hedge_share: float = 0.1
    """Hedges for each message, at most, so that a cluster that is slow as a whole is not asked
    twice as much."""
    retry_pause: float = 0.02
    """Before replicas that failed are asked again, where no other is left; doubled each time."""
    rest: float = 0.5
    """For which a replica that failed is asked last; doubled each time, up to `longest_rest`."""
    longest_rest: float = 10.0
    abandon: float = 30.0
    """After which a call is given up that nobody waits for any more. Until then it counts as work
    of its replica, so that one that stands still is not asked again and again."""


class LacksVersion(Error):
    """A replica has not the version that it was asked for; another one may."""


class Replicas:
    """Those of all parts. For any number of threads."""

    def __init__(
        self, parts: int, settings: ReplicaSettings, counters: ReplicaCounters, *,
        are_of_parts: bool,
    ) -> None:
        """`are_of_parts`: answers are those of parts; where one says that its replica cannot
        answer, another is asked."""
        self.set = ReplicaSet(parts, counters, are_of_parts, **asdict(settings))
        self._close = weakref.finalize(self, self.set.close)
        self._senders: dict[tuple[int, str], Send] = {}
        self._threads = 0
        _all.add(self)

    def take(self, parts: Sequence[Mapping[str, Send]]) -> None:
        """The replicas of each part from now on, by their names. One that was there before stays as
        it was."""
        for part, replicas in enumerate(parts):
            for name, send in replicas.items():
                self._senders.setdefault((part, name), send)
        self.set.take([list(each) for each in parts])
        while self._threads < len(self._senders):  # each may stand still
            self._threads += 1
            thread = threading.Thread(
                target=_send_all, args=(self.set, self._senders), name="warpdex-send", daemon=True)
            _threads.add(thread)
            thread.start()

    def close(self) -> None:
        """Ends the threads; nothing is answered any more."""
        self._close()


def _send_all(replicas: ReplicaSet, senders: Mapping[tuple[int, str], Send]) -> None:
    number = 0
    try:
        while (call := replicas.next(number)) is not None:
            number, part, name, message = call
            try:
                senders[part, name](message).add_done_callback(partial(_take, replicas, number))
            except Exception as error:  # noqa: BLE001  another replica is asked
                _fail(replicas, number, error)
    finally:
        _threads.discard(threading.current_thread())


def _take(replicas: ReplicaSet, number: int, done: Future[bytes]) -> None:
    try:
        answer = bytes(done.result())
    except Exception as error:  # noqa: BLE001  another replica is asked
        _fail(replicas, number, error)
        return
    replicas.answered(number, answer)


def _fail(replicas: ReplicaSet, number: int, error: Exception) -> None:
    why = str(error) or type(error).__name__
    replicas.failed(number, why.encode("utf-8", "replace").decode(), isinstance(error, LacksVersion))


_all: weakref.WeakSet[Replicas] = weakref.WeakSet()
_threads: set[threading.Thread] = set()


@atexit.register
def _end_all() -> None:
    """A thread that came back from the library while Python ends would end the process badly."""
    for each in list(_all):
        each.close()
    end = time.monotonic() + END_TIME
    for thread in list(_threads):
        thread.join(max(0.0, end - time.monotonic()))
