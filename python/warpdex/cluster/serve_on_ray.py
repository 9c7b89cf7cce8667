"""Serves a cluster on Ray: an actor for each replica of each part, a coordinator that keeps them at
the last version, and, where they are asked for, brokers. Searches go from a broker to the actors,
past the coordinator.

The coordinator's state is the store and the actors' names, so it may die: Ray starts it again, and
searches go on meanwhile.
"""

from __future__ import annotations

from typing import Any

from ..errors import UsageError
from .coordinator import Coordinator
from .on_ray import connect
from .part_actor import NAMESPACE, ServeSettings


def start(name: str, settings: ServeSettings) -> Any:
    """The coordinator of that name, which begins to serve; the one that is there already, if any.
    Raises UsageError where that one serves another store."""
    ray = connect()
    made = ray.remote(Coordinator).options(
        name=name, namespace=NAMESPACE, lifetime="detached", get_if_exists=True, num_cpus=0,
        max_restarts=-1, max_task_retries=0, max_concurrency=100,
    ).remote(name, settings)
    served, _, _ = ray.get(made.facts.remote())
    if served != settings.store:
        raise UsageError(f"{name!r} serves {served}; give another name")
    return made
