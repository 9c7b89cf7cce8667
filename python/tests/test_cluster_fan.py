"""A broker's clockwork, on a clock that stands still while nothing waits."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest
from clusters import seed

from warpdex.cluster.fan import Fan, FanSettings, LacksVersion, Replica, Reply

Answer = TypeVar("Answer")


class FakeLoop(asyncio.SelectorEventLoop):
    """Its clock jumps to the next timer once nothing is ready."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.now = max(self.now, self._scheduled[0]._when)  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def run(work: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    loop = FakeLoop()
    try:
        return loop.run_until_complete(asyncio.wait_for(work(), 10_000))
    finally:
        for task in (left := asyncio.all_tasks(loop)):
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left))
        loop.close()


class Copy:
    """A replica that takes its time, fails, or never answers."""

    def __init__(self, name: str, seconds: float = 0.01) -> None:
        self.name = name
        self.seconds = seconds
        self.fails = False
        self.calls = 0

    async def call(self, message: bytes) -> bytes:
        self.calls += 1
        await asyncio.sleep(self.seconds)
        if self.fails:
            raise ConnectionError("gone")
        return self.name.encode() + b":" + message

    def replica(self) -> Replica:
        return Replica(self.name, self.call)


def fan_of(*parts: list[Copy], **settings: Any) -> Fan:
    return Fan([[copy.replica() for copy in part] for part in parts], FanSettings(**settings))


def now() -> float:
    return asyncio.get_running_loop().time()


async def ask(fan: Fan, part: int = 0, seconds: float = 1.0) -> tuple[Reply, float]:
    begin = now()
    [reply] = await fan.ask([(part, b"x")], begin + seconds)
    return reply, now() - begin


def test_all_parts_answer_side_by_side() -> None:
    async def work() -> None:
        fan = fan_of([Copy("a", 0.03)], [Copy("b", 0.01)], [Copy("c", 0.02)])
        replies = await fan.ask([(2, b"1"), (0, b"2"), (1, b"3")], 1)
        assert [reply.answer for reply in replies] == [b"c:1", b"a:2", b"b:3"]
        assert now() == pytest.approx(0.03)
        assert await fan.ask([], 1) == []

    run(work)


def test_the_replica_with_the_least_work_is_asked() -> None:
    async def work() -> None:
        copies = [Copy("a"), Copy("b"), Copy("c")]
        fan = fan_of(copies, samples=1000)
        for _ in range(4):
            await asyncio.gather(*(ask(fan) for _ in range(9)))
        assert [copy.calls for copy in copies] == [12, 12, 12]

    run(work)


def test_a_failure_goes_to_another_replica_at_once() -> None:
    async def work() -> None:
        bad, good = Copy("bad", 0.0), Copy("good", 0.01)
        bad.fails = True
        fan = fan_of([bad, good])
        reply, took = await ask(fan)
        assert reply.answer == b"good:x" and took == pytest.approx(0.01)
        for _ in range(20):  # it rests
            assert (await ask(fan))[0].answer == b"good:x"
        assert bad.calls <= 2
        bad.fails = False
        await asyncio.sleep(20)
        for _ in range(10):
            await ask(fan)
        assert bad.calls > 3

    run(work)


def test_a_replica_that_comes_back_is_asked_again() -> None:
    async def work() -> None:
        only = Copy("only", 0.001)
        only.fails = True
        fan = fan_of([only])
        asyncio.get_running_loop().call_later(0.3, setattr, only, "fails", False)
        reply, took = await ask(fan)
        assert reply.answer == b"only:x" and 0.3 < took < 0.75
        only.fails = True
        reply, took = await ask(fan)
        assert "only: gone" in reply.failure and took == pytest.approx(1.0)

    run(work)


def test_no_answer_comes_after_the_deadline() -> None:
    async def work() -> None:
        for copies in ([Copy("a", 1e6)], [Copy("a", 1e6), Copy("b", 1e6)], []):
            fan = fan_of(copies)
            reply, took = await ask(fan, seconds=0.5)
            assert reply.failure.startswith("no answer in time") and took <= 0.5 + 1e-9
            assert fan.counters.failures == 1
            assert all(each.under_way <= 1 for part in fan.parts for each in part)
            await asyncio.sleep(30)  # given up
            assert all(each.under_way == 0 for part in fan.parts for each in part)

    run(work)


def test_a_slow_replica_is_hedged_at_the_95th_percentile() -> None:
    async def work() -> None:
        slow, quick = Copy("slow"), Copy("quick")
        fan = fan_of([slow, quick])
        for number in range(200):
            slow.seconds = quick.seconds = 0.001 * (1 + number % 100)
            await ask(fan)
        assert fan.counters.hedges > 0
        await asyncio.sleep(1)
        fan.counters.hedges = fan.counters.hedges_won = 0
        slow.seconds, quick.seconds = 1e6, 0.001
        took = [(await ask(fan))[1] for _ in range(4)]
        assert max(took) == pytest.approx(0.096 + 0.001, abs=0.01)
        assert fan.counters.hedges_won == fan.counters.hedges > 0

    run(work)


def test_hedges_are_few_where_all_are_slow() -> None:
    async def work() -> None:
        copies = [Copy("a"), Copy("b")]
        fan = fan_of(copies)
        for _ in range(50):
            await ask(fan)
        for copy in copies:
            copy.seconds = 0.2
        await asyncio.gather(*(ask(fan) for _ in range(300)))
        assert 0 < fan.counters.hedges <= 3 + 0.1 * 350
        calls = sum(copy.calls for copy in copies)
        assert calls - 350 == fan.counters.hedges

    run(work)


def test_without_a_budget_another_is_asked_at_half_time() -> None:
    async def work() -> None:
        fan = fan_of([Copy("a", 1e6), Copy("b", 0.01)], hedge_share=0.0)
        for _ in range(20):
            for part in fan.parts:
                part[0].under_way = part[1].under_way = 0
                part[1].rests_until = 1e9
            reply, took = await ask(fan)
            assert reply.answer == b"b:x" and took <= 0.51 + 1e-9
        assert fan.counters.hedges == 3

    run(work)


def test_messages_under_way_find_new_replicas() -> None:
    async def work() -> None:
        fan = fan_of([Copy("a", 1e6)])
        new = Copy("b")
        asyncio.get_running_loop().call_later(0.1, fan.take, [[*fan.parts[0], new.replica()]])
        reply, took = await ask(fan)
        assert reply.answer == b"b:x" and took <= 0.51 + 1e-9

    run(work)


def test_a_version_that_is_nowhere_ends_a_question_at_once() -> None:
    class Old(Copy):
        async def call(self, message: bytes) -> bytes:
            self.calls += 1
            raise LacksVersion("version 1 is not open here")

    async def work() -> None:
        fan = fan_of([Old("a"), Old("b")])
        reply, took = await ask(fan)
        assert not reply.is_of_version and "not open" in reply.failure and took == 0
        reply, took = await ask(fan_of([Old("a"), Copy("b")]))
        assert reply.answer == b"b:x" and reply.is_of_version
        only = Copy("b")
        only.fails = True
        reply, took = await ask(fan_of([Old("a"), only]))
        assert reply.is_of_version and took == pytest.approx(1.0)

    run(work)


def test_a_stopped_replica_does_not_slow_the_others() -> None:
    """One of two stands still: the 99th percentile stays below the deadline, nothing fails."""
    generator = random.Random(seed())

    async def work() -> None:
        stopped, well = Copy("stopped", 0.01), Copy("well", 0.01)
        fan = fan_of([stopped, well])
        took = []
        for number in range(1000):
            if number == 100:
                stopped.seconds = 1e9
            well.seconds = generator.uniform(0.005, 0.015)
            reply, seconds = await ask(fan, seconds=0.5)
            assert reply.failure == ""
            took.append(seconds)
            await asyncio.sleep(generator.uniform(0, 0.01))
        assert sorted(took)[990] < 0.1 and max(took) < 0.5

    run(work)


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_random_faults_never_give_a_wrong_or_late_answer(replicas: int) -> None:
    generator = random.Random(seed())

    async def work() -> None:
        copies = [[Copy(f"{part}.{i}") for i in range(replicas)] for part in range(3)]
        fan = fan_of(*copies)
        failed = 0
        for number in range(400):
            for part in copies:
                for copy in part:
                    copy.seconds = generator.choice([0.001, 0.01, 0.01, 0.3, 1e6])
                    copy.fails = generator.random() < 0.2
            begin = now()
            messages = [(part, b"%d" % number) for part in range(3)]
            replies = await fan.ask(messages, begin + 0.5)
            assert now() <= begin + 0.5 + 1e-9
            for part, reply in enumerate(replies):
                failed += bool(reply.failure)
                if not reply.failure:
                    name, _, message = reply.answer.partition(b":")
                    assert name.startswith(b"%d." % part) and message == b"%d" % number
        assert fan.counters.messages == 1200 and fan.counters.failures == failed
        await asyncio.sleep(31)
        assert all(each.under_way == 0 for part in fan.parts for each in part)

    run(work)
