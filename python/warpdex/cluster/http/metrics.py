"""What a server counted, in Prometheus' form."""

from __future__ import annotations

import bisect
from collections import Counter

from ..replicas import ReplicaCounters

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30)  # seconds


class Metrics:
    """Since the server began. For one event loop."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, str], list[int]] = {}
        self._sums: Counter[tuple[str, str]] = Counter()
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self.refused = 0

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request that was answered; `route`: a pattern, of which there are few."""
        place = (method, route)
        times = self._times.setdefault(place, [0] * (len(BOUNDS) + 1))
        times[bisect.bisect_left(BOUNDS, seconds)] += 1
        self._sums[place] += seconds  # type: ignore[assignment]
        self._requests[method, route, f"{status // 100}xx"] += 1

    def text(self, connections: int, under_way: int, of_broker: ReplicaCounters,
             facts: tuple[str, int, int] | None) -> str:
        """`facts`: the cluster's name, documents and version, where it answers."""
        lines = _head("warpdex_request_duration_seconds", "histogram",
                      "From a request's last byte to its answer.")
        for (method, route), times in sorted(self._times.items()):
            labels = f'method="{method}",route="{route}"'
            total = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), times):
                total += count
                lines.append(
                    f'warpdex_request_duration_seconds_bucket{{{labels},le="{bound}"}} {total}')
            lines += [
                f"warpdex_request_duration_seconds_sum{{{labels}}} {self._sums[method, route]}",
                f"warpdex_request_duration_seconds_count{{{labels}}} {total}",
            ]
        lines += _head("warpdex_requests_total", "counter", "Requests that were answered.")
        lines += [
            f'warpdex_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
            for (method, route, status), count in sorted(self._requests.items())
        ]
        for name, kind, about, value in (
            ("connections", "gauge", "Open connections.", connections),
            ("searches_under_way", "gauge", "Searches that are not answered yet.", under_way),
            ("searches_refused_total", "counter", "Searches refused with 429.", self.refused),
            ("broker_messages_total", "counter", "Messages of the broker.", of_broker.messages),
            ("broker_hedges_total", "counter", "Second replicas asked.", of_broker.hedges),
            ("broker_retries_total", "counter", "Others asked after a failure.", of_broker.retries),
            ("broker_failures_total", "counter", "Messages without an answer.", of_broker.failures),
        ):
            lines += [*_head(f"warpdex_{name}", kind, about), f"warpdex_{name} {value}"]
        if facts:
            index, documents, version = facts
            lines += [
                *_head("warpdex_index_documents", "gauge", "Live documents."),
                f'warpdex_index_documents{{index="{index}"}} {documents}',
                *_head("warpdex_index_commit", "gauge", "The version that is searched."),
                f'warpdex_index_commit{{index="{index}"}} {version}',
            ]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
