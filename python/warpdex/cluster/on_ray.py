"""The cluster on Ray. Nothing else imports it; it uses what Ray calls stable alone."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import IoError, UsageError
from .runners import Answer, Task

# How often a task begins anew after its worker or host died.
RETRIES = 10


def connect(*, starts: bool = True) -> Any:
    """Ray, connected: to the cluster that RAY_ADDRESS names or that runs on this host; else one
    starts here, which ends with this process, or, without `starts`, UsageError. Raises ImportError
    without Ray."""
    import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]

    if not ray.is_initialized():
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            ray.init(address=os.environ.get("RAY_ADDRESS", "auto"), **quiet)
        except ConnectionError as error:
            if not starts:
                raise UsageError(
                    "no cluster of Ray runs here; start one by `ray start --head`, or name one in "
                    "RAY_ADDRESS"
                ) from error
            ray.init(include_dashboard=False, **quiet)
    return ray


class OnRay:
    """Runs tasks on the hosts of a Ray cluster, each with `cpus` processors and, where it is not
    0, `memory` bytes."""

    def __init__(self, cpus: int = 1, memory: int = 0) -> None:
        self.cpus = cpus
        self.memory = memory

    def __call__(
        self, function: Callable[[Task], Answer], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Answer]]:
        ray = connect()
        options: dict[str, Any] = {"num_cpus": self.cpus, "max_retries": RETRIES}
        if self.memory:
            options["memory"] = self.memory
        remote = ray.remote(function).options(**options)
        numbers = {remote.remote(task): i for i, task in enumerate(tasks)}
        left = list(numbers)
        try:
            while left:
                done, left = ray.wait(left)
                yield numbers[done[0]], self._answer(ray, done[0])
        finally:
            for each in left:
                ray.cancel(each)

    def _answer(self, ray: Any, reference: Any) -> Any:
        try:
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            raise IoError(f"Ray lost a task {RETRIES + 1} times, and gave it up: {error}") from error
