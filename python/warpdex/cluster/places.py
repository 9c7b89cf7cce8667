"""Where actors run. Those that stand in for each other are a group of Ray's, each with a place of its
own on another host. One that dies begins anew in its place, and the place moves where its host dies."""

from __future__ import annotations

from typing import Any

# Seconds, after which places that all must have hosts of their own are taken where there is room.
PATIENCE = 10.0


def group(ray: Any, name: str, count: int, cpus: float, gpus: int = 0) -> Any:
    """`count` places with so many processors and GPUs each; those that are there already under that name, if
    any. Waits, so not for an event loop."""
    from ray.util import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        get_placement_group,
        placement_group,
        remove_placement_group,
    )

    try:
        return get_placement_group(name)
    except ValueError:
        pass  # there is none
    wanted = {"CPU": cpus, "GPU": gpus} if gpus else {"CPU": cpus}
    resources = [wanted] * count
    hosts = sum(
        node["Alive"] and all(node["Resources"].get(kind, 0) >= some for kind, some in wanted.items())
        for node in ray.nodes()
    )
    if hosts >= count:
        made = placement_group(resources, strategy="STRICT_SPREAD", name=name, lifetime="detached")
        if made.wait(PATIENCE):
            return made
        remove_placement_group(made)
    return placement_group(resources, strategy="SPREAD", name=name, lifetime="detached")


def place(of: Any, number: int) -> Any:
    """The scheduling strategy of an actor in that place of a group."""
    from ray.util.scheduling_strategies import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        PlacementGroupSchedulingStrategy,
    )

    return PlacementGroupSchedulingStrategy(of, placement_group_bundle_index=number)


def remove(of: Any) -> None:
    """Ends the actors in a group's places, too."""
    from ray.util import remove_placement_group

    remove_placement_group(of)
