"""A cluster: an index in parts, on many hosts, that answers as one.

    from warpdex import cluster

    cluster.build("s3://bucket/crawl/*.jsonl", "s3://bucket/cluster", parts=8)
    served = cluster.serve("s3://bucket/cluster", replicas=2)
    print(served.search("tropical fish").ids)
    cluster.add("new.jsonl", "s3://bucket/cluster")

It takes the package fsspec (pip install "warpdex[cluster]"), and Ray where tasks and actors run on
many hosts; nothing imports Ray before it is asked for.
"""

from __future__ import annotations

from .add import AddResult, add
from .answers import ClusterAnswer, ClusterHit, Coverage
from .broker import Broker, BrokerSettings
from .build import BuildResult, build
from .client import Cluster, connect, serve
from .manifest import File, Manifest, Part, read_version
from .publish import publish
from .replica import Pulled, Replica
from .replicas import ReplicaSettings
from .runners import Here, Runner
from .session import View
from .status import Fault, status, table, verify
from .store import Store, VersionTaken

__all__ = [
    "AddResult",
    "Broker",
    "BrokerSettings",
    "BuildResult",
    "Cluster",
    "ClusterAnswer",
    "ClusterHit",
    "Coverage",
    "Fault",
    "File",
    "Here",
    "Manifest",
    "Part",
    "Pulled",
    "Replica",
    "ReplicaSettings",
    "Runner",
    "Store",
    "VersionTaken",
    "View",
    "add",
    "build",
    "connect",
    "publish",
    "read_version",
    "serve",
    "status",
    "table",
    "verify",
]
