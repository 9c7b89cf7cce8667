"""The commands of a cluster that is served on Ray: serve, http, search,
replicas, drain, undrain, stop."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from . import _http_command
from .answers import ClusterAnswer
from .client import Cluster, connect, serve
from .on_ray import connect as connect_ray

Told = tuple[Any, str, int]


def _command(commands: Any, name: str, about: str, more: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=f"{about}. {more}".strip()
    )
    parser.add_argument("--name", default="warpdex", metavar="NAME",
                        help="under which it is served (default: warpdex)")
    parser.add_argument("--wait", type=float, default=60, metavar="SECONDS",
                        help="until all parts have a replica that is ready (default: 60)")
    parser.add_argument("--json", action="store_true", help="tell what was done as JSON")
    return parser


def add_commands(commands: Any) -> None:
    """Adds them to a parser's."""
    _add_serve(commands)
    _http_command.add_options(_command(
        commands, "http", "Answers over HTTP, as `warpdex serve` does",
        "Searches of /v1/NAME/search and /v1/NAME/search/batch; others are refused.",
    ))
    _add_search(commands)
    _command(commands, "replicas", "Tells what each replica has and does")
    for name, about in (("drain", "Ends a replica without failing a query"),
                        ("undrain", "Starts a replica again that was drained")):
        parser = _command(commands, name, about)
        parser.add_argument("--part", type=int, required=True, metavar="N", help="counted from 0")
        parser.add_argument("--replica", type=int, required=True, metavar="N",
                            help="counted from 0")
    _command(commands, "stop", "Ends serving")


def _add_serve(commands: Any) -> None:
    parser = _command(
        commands, "serve", "Serves the cluster of a store on Ray",
        "Replicas outlive this command, take new versions of the store, and start again where they "
        "die.",
    )
    parser.add_argument("--store", required=True, metavar="STORE",
                        help="a folder or an URL of fsspec that all hosts reach")
    parser.add_argument("--replicas", type=int, default=2, metavar="N",
                        help="of each part (default: 2)")
    parser.add_argument("--brokers", type=int, default=0, metavar="N",
                        help="processes that clients ask, so that their queries go together "
                        "(default: 0: each client asks the replicas itself)")
    parser.add_argument("--cpus", type=float, default=1, metavar="N",
                        help="of each replica (default: 1)")
    parser.add_argument("--gpus", type=int, default=0, metavar="N",
                        help="GPUs of each replica, which cut its part into shards; 0: the CPU "
                        "searches (default: 0)")
    parser.add_argument("--document-blocks", action="store_true",
                        help="of indexes of impacts: hold parts in memory by blocks of documents as "
                        "well, for OR over many terms")
    parser.add_argument("--threads", type=int, default=0, metavar="N",
                        help="that search in a replica (default: one for each processor)")
    parser.add_argument("--folder", default="/tmp/warpdex-parts", metavar="FOLDER",
                        help="of each host, for the files of its parts (default: %(default)s)")


def _add_search(commands: Any) -> None:
    parser = _command(commands, "search", "Searches the cluster")
    parser.add_argument("queries", nargs="*", metavar="QUERY",
                        help="words; without any, lines of standard input")
    parser.add_argument("-k", type=int, default=10, metavar="N",
                        help="documents of an answer (default: 10)")
    parser.add_argument("--mode", choices=["or", "and", "and-or"], default="or",
                        help="which documents match: with any word, with all, or with all where "
                        "enough have them (default: or)")
    parser.add_argument("--filter", default="", metavar="FILTER",
                        help="only documents that fit, as 'year >= 1990'")
    parser.add_argument("--sort", metavar="COLUMN,...",
                        help="sort by columns, each with :desc for falling values")
    parser.add_argument("--show", metavar="FIELD,...", help="fields that documents are shown with")
    parser.add_argument("--facet", metavar="A,B,...",
                        help="count columns' values over all matches; 'year:..1990..2000..' also "
                        "by ranges")
    parser.add_argument("--deadline", type=float, default=1, metavar="SECONDS",
                        help="for the answer (default: 1)")
    parser.add_argument("--partial", action="store_true",
                        help="where a part does not answer in time, tell what the others found")


def _cluster(given: argparse.Namespace) -> Cluster:
    connect_ray(starts=False)
    return connect(given.name, wait=given.wait)


def _serve(given: argparse.Namespace) -> Told:
    connect_ray(starts=False)
    with serve(given.store, name=given.name, wait=given.wait, replicas=given.replicas,
               brokers=given.brokers, cpus=given.cpus, gpus=given.gpus, threads=given.threads,
               document_blocks=given.document_blocks, folder=given.folder) as cluster:
        found = cluster.status()
        return found, _table(found), 0


def _search(given: argparse.Namespace) -> Told:
    queries = given.queries or [line.rstrip("\n") for line in sys.stdin]
    options: dict[str, Any] = {"mode": given.mode}
    if given.filter:
        options["filter"] = given.filter
    if given.sort:
        options["sort"] = given.sort
    if given.show:
        options["fields"] = given.show.split(",")
    if given.facet:
        options["facets"] = given.facet.split(",")
    with _cluster(given) as cluster:
        answers = cluster.search_batch(
            queries, given.k, deadline=given.deadline,
            on_missing="partial" if given.partial else "error", **options,
        )
    lines = []
    for query, answer in zip(queries, answers):
        lines.append(query)
        for rank, hit in enumerate(answer.hits, 1):
            lines.append(f"  {rank:3d}  {hit.score:10.4f}  {hit.id}")
            lines += [f"       {name}: {text}" for name, text in hit.fields.items()]
        lines += [f"  {column}: " + ", ".join(f"{value} ({n})" for value, n in facet["top"])
                  for column, facet in answer.facets.items()]
    if answers and (missing := answers[0].coverage.missing):
        lines += [f"part {part} is missing: {reason}" for part, reason in missing]
    values = [_values(query, answer) for query, answer in zip(queries, answers)]
    return values, "\n".join(lines), 0


def _values(query: str, answer: ClusterAnswer) -> dict[str, Any]:
    """As JSON has them."""
    return {
        "query": query,
        "hits": [dataclasses.asdict(hit) for hit in answer.hits],
        "coverage": dataclasses.asdict(answer.coverage),
        "matches": answer.matches,
        "fell_back_to_or": answer.fell_back_to_or,
        "is_complete": answer.is_complete,
        "max_missing_score": answer.max_missing_score,
        "facets": answer.facets,
    }


def _replicas(given: argparse.Namespace) -> Told:
    with _cluster(given) as cluster:
        found = cluster.status()
        return found, _table(found), 0


def _drain(given: argparse.Namespace) -> Told:
    with _cluster(given) as cluster:
        is_drained = cluster.drain(given.part, given.replica)
    text = "drained" if is_drained else "it is its part's only replica, and goes on"
    return {"is_drained": is_drained}, text, not is_drained


def _undrain(given: argparse.Namespace) -> Told:
    with _cluster(given) as cluster:
        cluster.undrain(given.part, given.replica)
    return {}, "it starts again", 0


def _stop(given: argparse.Namespace) -> Told:
    _cluster(given).stop()
    return {}, "stopped", 0


def _table(found: dict[str, Any]) -> str:
    lines = [f"version {found['version']}, {found['parts']} parts"]
    if found["problem"]:
        lines.append(f"problem: {found['problem']}")
    lines.append("part  replica  versions    under way")
    for each in found["replicas"]:
        versions = ",".join(map(str, each["versions"])) or "-"
        told = "drained" if each["is_drained"] else each["problem"]
        lines.append(f"{each['part']:4d}  {each['replica']:7d}  {versions:<10}  "
                     f"{each['under_way']:9d}  {told}".rstrip())
    lines += [f"broker {each['broker']}: version {each['version']}  {each['problem']}".rstrip()
              for each in found["brokers"]]
    return "\n".join(lines)


COMMANDS: dict[str, Callable[[argparse.Namespace], Told]] = {
    "serve": _serve, "http": _http_command.run, "search": _search, "replicas": _replicas,
    "drain": _drain, "undrain": _undrain, "stop": _stop,
}
