"""A cluster: an index in parts, on many hosts, that answers as one.

    from warpdex import cluster

    cluster.build("s3://bucket/crawl/*.jsonl", "s3://bucket/cluster", parts=8)
    cluster.add("new.jsonl", "s3://bucket/cluster")
    print(cluster.table(cluster.status("s3://bucket/cluster")))

It takes the package fsspec (pip install "warpdex[cluster]"), and Ray where tasks and actors run on
many hosts (on_ray.py).
"""

from __future__ import annotations

from .add import AddResult, add
from .build import BuildResult, build
from .manifest import File, Manifest, Part, read_version
from .publish import publish
from .replica import Pulled, Replica
from .runners import Here, Runner
from .status import Fault, status, table, verify
from .store import Store, VersionTaken

__all__ = [
    "AddResult",
    "BuildResult",
    "Fault",
    "File",
    "Here",
    "Manifest",
    "Part",
    "Pulled",
    "Replica",
    "Runner",
    "Store",
    "VersionTaken",
    "add",
    "build",
    "publish",
    "read_version",
    "status",
    "table",
    "verify",
]
