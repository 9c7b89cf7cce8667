"""Sends messages to the replicas of parts and waits for the answers: the clockwork of a broker.

Ray takes seconds to see a dead process and a minute to see a dead host, so deadlines, second tries
and hedges are kept here. It runs on asyncio's clock and knows neither Ray nor what messages say.
"""

from __future__ import annotations

import asyncio
import bisect
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from ..errors import Error

Call = Callable[[bytes], Awaitable[bytes]]


@dataclass(frozen=True)
class FanSettings:
    """Times in seconds."""

    hedge_rank: float = 0.95
    """A second replica is asked when this share of the part's answers would have come."""
    first_hedge: float = 0.05
    """The same before there are `samples` answers."""
    samples: int = 20
    window: int = 500
    """So many answers are remembered."""
    hedge_share: float = 0.1
    """Hedges for each message, at most, so that a cluster that is slow as a whole is not asked
    twice as much."""
    retry_pause: float = 0.02
    """Before replicas that all failed are asked again; doubled each time."""
    rest: float = 0.5
    """For which a replica that failed is asked last; doubled each time, up to `longest_rest`."""
    longest_rest: float = 10.0
    abandon: float = 30.0
    """After which a call is given up that nobody waits for any more. Until then it counts as work
    of its replica, so that one that stands still is not asked again and again."""


class LacksVersion(Error):
    """A replica has not the version that it was asked for; another one may."""


class ReplicaFault(Exception):
    """A replica did not answer, or gave no answer: another one may."""

    lacks_version = False


@dataclass
class Replica:
    """One copy of a part."""

    name: str
    call: Call
    """Answers a message; raises where it cannot."""
    under_way: int = 0
    """Messages that it has not answered."""
    failures: int = 0
    """Since its last answer."""
    rests_until: float = 0.0
    last_asked: int = 0


@dataclass(frozen=True)
class Reply:
    """What became of a message."""

    answer: bytes = b""
    failure: str = ""
    """Why there is none; else empty."""
    is_of_version: bool = True
    """False: no replica has the version any more, or yet."""


@dataclass
class Counters:
    """Since the beginning."""

    messages: int = 0
    hedges: int = 0
    hedges_won: int = 0
    retries: int = 0
    failures: int = 0
    """Messages without an answer."""


class _Latencies:
    """Of a part's last answers."""

    def __init__(self, settings: FanSettings) -> None:
        self._settings = settings
        self._in_order: deque[float] = deque()
        self._sorted: list[float] = []

    def add(self, seconds: float) -> None:
        self._in_order.append(seconds)
        bisect.insort(self._sorted, seconds)
        if len(self._in_order) > self._settings.window:
            oldest = self._in_order.popleft()
            del self._sorted[bisect.bisect_left(self._sorted, oldest)]

    def hedge_after(self) -> float:
        count = len(self._sorted)
        if count < self._settings.samples:
            return self._settings.first_hedge
        return self._sorted[min(count - 1, int(self._settings.hedge_rank * count))]


@dataclass
class _Part:
    replicas: list[Replica]
    latencies: _Latencies


@dataclass
class Fan:
    """The replicas of all parts of one version. For one event loop."""

    parts: Sequence[Sequence[Replica]]
    settings: FanSettings = field(default_factory=FanSettings)
    counters: Counters = field(default_factory=Counters)

    def __post_init__(self) -> None:
        self._parts = [_Part(list(each), _Latencies(self.settings)) for each in self.parts]
        self._budget = 3.0
        self._running: set[asyncio.Task[bytes]] = set()
        self._turn = itertools.count(1)

    def take(self, parts: Sequence[Sequence[Replica]]) -> None:
        """Other replicas of the same parts. Messages under way may go to the new ones, too."""
        for part, replicas in zip(self._parts, parts, strict=True):
            part.replicas = list(replicas)

    async def ask(self, messages: Sequence[tuple[int, bytes]], deadline: float) -> list[Reply]:
        """The replies to messages, each of a part and its bytes, in their order. No later than
        `deadline`, by the clock of the loop."""
        return list(await asyncio.gather(
            *(self._ask_part(self._parts[part], message, deadline) for part, message in messages)
        ))

    async def _ask_part(self, part: _Part, message: bytes, deadline: float) -> Reply:
        self.counters.messages += 1
        self._budget = min(10.0, self._budget + self.settings.hedge_share)
        return await _Race(self, part, message, deadline).run()

    def take_hedge(self) -> bool:
        """Whether one more hedge is within the budget."""
        if self._budget < 1:
            return False
        self._budget -= 1
        self.counters.hedges += 1
        return True

    def choose(self, part: _Part, tried: set[int], now: float) -> Replica | None:
        """The one to ask next: none that was tried; one that failed lately last; the one with the
        fewest messages under way; the one that was asked longest ago."""
        left = [each for each in part.replicas if id(each) not in tried]
        if not left:
            return None
        best = min(left, key=lambda each: (each.rests_until > now, each.under_way, each.last_asked))
        best.last_asked = next(self._turn)
        return best

    def start(self, part: _Part, replica: Replica, message: bytes) -> asyncio.Task[bytes]:
        """One message to one replica, which goes on when nobody waits for it."""
        replica.under_way += 1
        task = asyncio.ensure_future(self._call(part, replica, message))
        self._running.add(task)

        def end(done: asyncio.Task[bytes]) -> None:
            replica.under_way -= 1
            self._running.discard(done)
            if not done.cancelled():
                done.exception()  # seen, also where nobody waits

        task.add_done_callback(end)
        return task

    async def _call(self, part: _Part, replica: Replica, message: bytes) -> bytes:
        clock = asyncio.get_running_loop().time
        begin = clock()
        try:
            async with asyncio.timeout(self.settings.abandon):
                answer = await replica.call(message)
        except Exception as error:
            replica.failures += 1
            rest = self.settings.rest * 2.0 ** min(replica.failures - 1, 20)
            replica.rests_until = clock() + min(rest, self.settings.longest_rest)
            why = str(error) or type(error).__name__
            fault = ReplicaFault(f"{replica.name}: {why}")
            fault.lacks_version = isinstance(error, LacksVersion)
            raise fault from error
        replica.failures = 0
        replica.rests_until = 0.0
        part.latencies.add(clock() - begin)
        return answer


class _Race:
    """A message to one replica, and to others where that one is slow or fails."""

    def __init__(self, fan: Fan, part: _Part, message: bytes, deadline: float) -> None:
        self._fan = fan
        self._part = part
        self._message = message
        self._deadline = deadline
        self._clock = asyncio.get_running_loop().time
        self._tried: set[int] = set()
        self._running: dict[asyncio.Task[bytes], bool] = {}
        self._reasons: dict[str, None] = {}
        self._lacking = 0

    def _start(self, is_hedge: bool = False) -> bool:
        replica = self._fan.choose(self._part, self._tried, self._clock())
        if replica is None:
            return False
        self._tried.add(id(replica))
        self._running[self._fan.start(self._part, replica, self._message)] = is_hedge
        return True

    async def run(self) -> Reply:
        self._start()
        now = self._clock()
        # At half time another one is asked whatever the budget: this one may stand still.
        hedges = [(now + self._part.latencies.hedge_after(), True),
                  (now + (self._deadline - now) / 2, False)]
        hedges.sort(reverse=True)
        pause = self._fan.settings.retry_pause
        while (now := self._clock()) < self._deadline:
            if not self._running:
                if self._tried and self._lacking == len(self._tried):
                    break
                # All have failed: a moment later one may be back.
                await asyncio.sleep(min(pause, self._deadline - now))
                pause *= 2
                self._tried.clear()
                self._lacking = 0
                self._fan.counters.retries += 1
                if not self._start():
                    break
                continue
            until = min(hedges[-1][0] if hedges else self._deadline, self._deadline)
            done, _ = await asyncio.wait(
                self._running, timeout=max(0.0, until - now), return_when=asyncio.FIRST_COMPLETED
            )
            if answer := self._take(done):
                return answer
            if hedges and self._clock() >= hedges[-1][0]:
                self._hedge(counts=hedges.pop()[1])
        return self._failure()

    def _take(self, done: set[asyncio.Task[bytes]]) -> Reply | None:
        """The first answer among calls that ended; where one failed, another replica is asked."""
        for task in done:
            is_hedge = self._running.pop(task)
            try:
                answer = task.result()
            except ReplicaFault as fault:
                self._reasons[str(fault)] = None
                self._lacking += fault.lacks_version
                self._fan.counters.retries += self._start()
                continue
            self._fan.counters.hedges_won += is_hedge
            return Reply(answer)
        return None

    def _hedge(self, counts: bool) -> None:
        if len(self._tried) < len(self._part.replicas) and (not counts or self._fan.take_hedge()):
            self._start(is_hedge=True)

    def _failure(self) -> Reply:
        self._fan.counters.failures += 1
        is_of_version = not self._tried or self._lacking < len(self._tried)
        why = "no answer in time" if is_of_version else "its version is not open"
        reasons = "; ".join(list(self._reasons)[:3])
        return Reply(failure=why + (f" ({reasons})" if reasons else ""), is_of_version=is_of_version)
