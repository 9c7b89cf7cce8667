"""Builds a cluster: cuts the input, has tasks index the parts, publishes a version."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .. import _version
from .._build import as_analyzer, as_bytes, as_schema
from .cut import Piece, cut, find_sources
from .manifest import part_from_dict
from .publish import check_ids, check_settings, next_number, publish_parts
from .runners import Here, Runner
from .store import Store, object_name
from .tasks import BuiltPart, PartTask, build_part

Told = Callable[[str], None]


@dataclass(frozen=True)
class BuildResult:
    """What a build of a cluster made."""

    version: int
    documents: int
    skipped: int
    """Bad documents that were left out."""
    parts: int
    found: int
    """Parts that an earlier build of the same input had finished."""


def build(
    inputs: Sequence[str] | str,
    store: Store | str,
    *,
    parts: int,
    format: str = "jsonl",
    runner: Runner | None = None,
    work: str | None = None,
    memory: int | str = "1G",
    threads: int = 1,
    on_part: Told | None = None,
    **options: Any,
) -> BuildResult:
    """Indexes a collection in parts and publishes it as the next version.

    The parts are contiguous ranges of the input, of about the same number of bytes. The index of
    each is, byte for byte, that of `warpdex index` over its documents, whoever built it. A build
    that was killed is called again: parts that are in the store are not built again.

    Args:
        inputs: paths, URLs of fsspec or patterns of such, which all hosts reach.
        store: where the cluster lies; a folder or URL that all hosts reach.
        parts: how many; each is searched by a host or GPU of its own.
        format: "jsonl", "tsv", "csv", "trec", "text" or "html". Files of JSONL and TSV that are
            not packed are cut within; others lie in one part as a whole.
        runner: who runs the tasks; None: this process. on_ray.OnRay() for many hosts.
        work: a folder of each host for temporary files, as large as a part and its input.
        memory: of each task, in bytes or as "4G".
        threads: of each task.
        on_part: called with a sentence when a part is done.
        options: as of warpdex.build(): fields, analyzer, store_fields (its `store`), schema,
            vectors (the name of a member), metric, vector_store, vector_index, codec, forward,
            positions, skip_bad.

    Raises:
        BadDocument: as warpdex.build(); also where two parts have a document of the same id.
        VersionTaken: another publisher made the version meanwhile. Called again, only the
            publishing is left to do.
        InputError, UsageError, IoError: as warpdex.build(), and for input that changes.
    """
    store = store if isinstance(store, Store) else Store(store)
    store.make()
    number = next_number(store)
    texts = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    pieces = cut(find_sources(texts, format), format, parts)
    chosen = as_options(options) | {"memory": as_bytes(memory), "threads": threads}
    tasks = [
        PartTask(i, each, format, chosen, store, _version.version, work)
        for i, each in enumerate(pieces)
    ]
    done = _Progress(store, pieces, {**chosen, "format": format})
    built = {task.number: found for task in tasks if (found := done.find(task.number))}
    found_before = len(built)
    waiting = [task for task in tasks if task.number not in built]
    for place, answer in (runner or Here())(build_part, waiting):
        task = waiting[place]
        done.keep(task.number, answer)
        built[task.number] = answer
        if on_part:
            on_part(f"part {task.number}: {answer.part.documents} documents")
    ordered = [built[i] for i in range(parts)]
    check_settings([each.settings for each in ordered])
    made = [each.part for each in ordered]
    check_ids(store, made, work)
    manifest = publish_parts(store, number, made, ordered[0].settings)
    done.clear(parts)
    skipped = sum(each.skipped for each in ordered)
    return BuildResult(manifest.number, manifest.documents, skipped, parts, found_before)


def as_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of warpdex.build() that a task takes, so that they can be written down. Raises
    TypeError for others."""
    known = {"fields", "analyzer", "store_fields", "schema", "vectors", "metric", "vector_store",
             "vector_index", "codec", "forward", "positions", "skip_bad"}
    if unknown := sorted(set(options) - known):
        raise TypeError(f"build() of a cluster has no option {unknown[0]!r}")
    taken = dict(options)
    if "analyzer" in taken:
        taken["analyzer"] = as_analyzer(taken["analyzer"])
    if taken.get("schema") is not None:
        taken["schema"] = as_schema(taken["schema"])
    if "store_fields" in taken:
        taken["store"] = list(taken.pop("store_fields"))
    if "vectors" in taken and not isinstance(taken["vectors"], str):
        raise TypeError("vectors of a cluster are the name of a member; rows have no order there")
    return taken


class _Progress:
    """What is done of a build, written into the store, so that a second try goes on."""

    def __init__(
        self, store: Store, pieces: Sequence[Sequence[Piece]], options: Mapping[str, Any]
    ) -> None:
        told = [[asdict(piece) for piece in each] for each in pieces]
        text = json.dumps([told, options, _version.version], sort_keys=True)
        self._store = store
        self._folder = f"builds/{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    def _name(self, number: int) -> str:
        return f"{self._folder}/part-{number:04d}.json"

    def keep(self, number: int, built: BuiltPart) -> None:
        self._store.write(self._name(number), json.dumps(asdict(built)).encode())

    def find(self, number: int) -> BuiltPart | None:
        """A part that is done, and whose files are all in the store."""
        try:
            body = json.loads(self._store.read(self._name(number)))
            part = part_from_dict(body["part"])
        except (FileNotFoundError, ValueError, LookupError, TypeError):
            return None
        for file in (*part.files, part.ids):
            if self._store.size(object_name(file.sha256)) != file.bytes:
                return None
        return BuiltPart(part, body["settings"], body["skipped"], 0)

    def clear(self, parts: int) -> None:
        for number in range(parts):
            self._store.remove(self._name(number))
