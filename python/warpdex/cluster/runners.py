"""Runs tasks here, one after the other or on threads. on_ray.py runs them on many hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class Runner(Protocol):
    """Runs a pure function of each task, again where the process or host died that ran it."""

    def __call__(
        self, function: Callable[[Task], Answer], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Answer]]:
        """The number of each task and its answer, as they come. What a function raises ends it;
        tasks that have not begun are then left."""
        ...


class Here:
    """Runs tasks in this process."""

    def __init__(self, at_once: int = 1) -> None:
        self.at_once = at_once

    def __call__(
        self, function: Callable[[Task], Answer], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Answer]]:
        with ThreadPoolExecutor(self.at_once) as threads:
            numbers = {threads.submit(function, task): i for i, task in enumerate(tasks)}
            left: set[Future[Answer]] = set(numbers)
            try:
                while left:
                    done, left = wait(left, return_when=FIRST_COMPLETED)
                    for each in done:
                        yield numbers[each], each.result()
            finally:
                threads.shutdown(wait=True, cancel_futures=True)
