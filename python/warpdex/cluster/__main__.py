"""The command line of clusters: python -m warpdex.cluster COMMAND."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .._version import version
from ..errors import Error, UsageError
from . import (
    Here,
    Replica,
    Runner,
    Store,
    _serving_commands as serving,
    add,
    build,
    publish,
    read_version,
    status,
    table,
    verify,
)

FORMATS = ["jsonl", "tsv", "csv", "trec", "text", "html"]
STORE = "a folder or an URL of fsspec that all hosts reach, as /nfs/cluster or s3://bucket/cluster"
INPUT = "paths, URLs or patterns, as 's3://bucket/crawl/*.jsonl'; a folder is all files below it"

EXAMPLES = """\
examples:
  python -m warpdex.cluster build --input 's3://bucket/crawl/*.jsonl' --format jsonl \\
      --store s3://bucket/cluster --parts 8 --engine ray
  python -m warpdex.cluster add --input new.jsonl --store s3://bucket/cluster
  python -m warpdex.cluster serve --store s3://bucket/cluster --replicas 2
  python -m warpdex.cluster search 'tropical fish'
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m warpdex.cluster",
        description="Builds, publishes, serves and searches an index in parts, on many hosts.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Warpdex {version}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_build(commands)
    _add_publish(commands)
    _add_add(commands)
    _add_pull(commands)
    _add_status(commands)
    _add_verify(commands)
    serving.add_commands(commands)
    return parser


def _command(commands: Any, name: str, about: str, more: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=f"{about}. {more}".strip()
    )
    parser.add_argument("--store", required=True, metavar="STORE", help=STORE)
    parser.add_argument("--patience", type=float, default=60, metavar="SECONDS",
                        help="how long to try again while the store is away (default: 60)")
    parser.add_argument("--json", action="store_true", help="tell what was done as JSON")
    return parser


def _add_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--input", required=True, nargs="+", metavar="FILE", help=INPUT)
    parser.add_argument("--format", required=True, choices=FORMATS,
                        help="of the files, as of `warpdex index`")
    parser.add_argument("--vectors", metavar="NAME",
                        help="the member that is a document's vector, of jsonl")
    parser.add_argument("--skip-bad", action="store_true",
                        help="leave bad documents out and count them; else the first one ends it")


def _add_build(commands: Any) -> None:
    parser = _command(
        commands, "build", "Indexes a collection in parts and publishes it",
        "Each part has the bytes that `warpdex index` makes of its documents. Called again after "
        "it was killed, it goes on with the parts that are left.",
    )
    _add_input(parser)
    parser.add_argument("--parts", type=int, required=True, metavar="N",
                        help="into how many parts the documents are cut")
    parser.add_argument("--engine", choices=["here", "ray"], default="here",
                        help="who runs the tasks: this process, or Ray's hosts (default: here)")
    parser.add_argument("--fields", metavar="NAMES",
                        help="members or columns to index, with commas (default: contents)")
    parser.add_argument("--store-fields", metavar="NAMES",
                        help="members or columns to keep, for hits to show")
    parser.add_argument("--analyzer", metavar="NAME", help="as of `warpdex index`")
    parser.add_argument("--codec", choices=["bitpack", "pfor", "pfor-block", "rice"],
                        help="how lists are compressed (default: bitpack)")
    parser.add_argument("--schema", metavar="FILE", help="a file of JSON: columns and text fields")
    parser.add_argument("--positions", action="store_true",
                        help="keep where words stand, for phrases")
    parser.add_argument("--memory", default="1G", metavar="SIZE", help="of a task (default: 1G)")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="of a task (default: 1)")
    parser.add_argument("--work", metavar="FOLDER", help="of each host, for temporary files")


def _add_publish(commands: Any) -> None:
    parser = _command(
        commands, "publish", "Publishes indexes that lie here as the parts of a new version",
        "Files that the store has are not sent again.",
    )
    parser.add_argument("indexes", nargs="+", metavar="INDEX",
                        help="folders of indexes, in the order of their documents")


def _add_add(commands: Any) -> None:
    parser = _command(
        commands, "add", "Adds documents and publishes the new version",
        "They become new segments of one part; other files are not sent again.",
    )
    _add_input(parser)
    parser.add_argument("--part", type=int, metavar="N",
                        help="that takes them (default: the one with the fewest documents)")
    parser.add_argument("--merge", action="store_true", help="merge small segments of that part")
    parser.add_argument("--work", metavar="FOLDER",
                        help="keeps the part's files, so that the next time only new ones come")


def _add_pull(commands: Any) -> None:
    parser = _command(
        commands, "pull", "Brings the index of a part to this host and checks its bytes",
        "Only files that are not here come. Prints the folder, which `warpdex search` opens.",
    )
    parser.add_argument("--part", type=int, required=True, metavar="N", help="counted from 0")
    parser.add_argument("--into", required=True, metavar="FOLDER", help="for copies on this host")
    parser.add_argument("--cluster-version", type=int, metavar="N", help="default: the last one")


def _add_status(commands: Any) -> None:
    parser = _command(commands, "status", "Tells what is published")
    parser.add_argument("--cluster-version", type=int, metavar="N", help="default: the last one")


def _add_verify(commands: Any) -> None:
    parser = _command(
        commands, "verify", "Reads all files of a version and compares their checksums",
        "The exit status is 1 where one is damaged.",
    )
    parser.add_argument("--cluster-version", type=int, metavar="N", help="default: the last one")
    parser.add_argument("--remove", action="store_true",
                        help="remove damaged files, so that `publish` or `build` sends them again")


# What the commands do: each returns what --json tells, the text for people, and the exit status.
Told = tuple[Any, str, int]


def _build(given: argparse.Namespace, store: Store) -> Told:
    options: dict[str, Any] = {"positions": given.positions, "skip_bad": given.skip_bad}
    for name in ("fields", "store_fields"):
        if getattr(given, name):
            options[name] = getattr(given, name).split(",")
    for name in ("analyzer", "codec", "vectors"):
        if getattr(given, name):
            options[name] = getattr(given, name)
    if given.schema:
        with open(given.schema, encoding="utf-8") as file:
            options["schema"] = file.read()
    made = build(
        given.input, store, parts=given.parts, format=given.format, runner=_runner(given),
        work=given.work, memory=given.memory, threads=given.threads,
        on_part=lambda text: print(text, file=sys.stderr), **options,
    )
    return asdict(made), (
        f"version {made.version}: {made.documents:,} documents in {made.parts} parts, "
        f"{made.skipped} skipped"
    ), 0


def _runner(given: argparse.Namespace) -> Runner:
    if given.engine == "here":
        return Here()
    from .on_ray import OnRay

    return OnRay(cpus=max(1, given.threads))


def _publish(given: argparse.Namespace, store: Store) -> Told:
    made = publish(given.indexes, store)
    values = {"version": made.number, "documents": made.documents, "parts": len(made.parts)}
    return values, f"version {made.number}: {made.documents:,} documents", 0


def _add(given: argparse.Namespace, store: Store) -> Told:
    made = add(given.input, store, format=given.format, vectors=given.vectors, part=given.part,
               merge=given.merge, skip_bad=given.skip_bad, work=given.work)
    return asdict(made), (
        f"version {made.version}: {made.documents:,} documents more in part {made.part}, "
        f"{made.skipped} skipped; {made.sent:,} bytes sent"
    ), 0


def _pull(given: argparse.Namespace, store: Store) -> Told:
    manifest = read_version(store, given.cluster_version)
    if not 0 <= given.part < len(manifest.parts):
        raise UsageError(f"--part is from 0 to {len(manifest.parts) - 1}, as the version has parts")
    pulled = Replica(store, given.into).pull(manifest, given.part)
    values = {**asdict(pulled), "folder": str(pulled.folder), "version": manifest.number}
    return values, str(pulled.folder), 0


def _status(given: argparse.Namespace, store: Store) -> Told:
    found = status(store, given.cluster_version)
    return found, table(found), 0


def _verify(given: argparse.Namespace, store: Store) -> Told:
    faults = verify(store, given.cluster_version, remove=given.remove)
    lines = [f"part {fault.part}, {fault.path} ({fault.object}): {fault.problem}"
             for fault in faults]
    return [asdict(fault) for fault in faults], "\n".join(lines) or "all files are sound", bool(faults)


COMMANDS = {"build": _build, "publish": _publish, "add": _add, "pull": _pull, "status": _status,
            "verify": _verify}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status."""
    given = make_parser().parse_args(arguments)
    try:
        if given.command in serving.COMMANDS:
            values, text, result = serving.COMMANDS[given.command](given)
        else:
            store = Store(given.store, given.patience)
            values, text, result = COMMANDS[given.command](given, store)
    except ImportError as error:
        print(f'warpdex.cluster: {error}; pip install "warpdex[cluster]"', file=sys.stderr)
        return 1
    except (Error, OSError) as error:
        print(f"warpdex.cluster: {error}", file=sys.stderr)
        return 1
    print(json.dumps(values) if given.json else text)
    return result


if __name__ == "__main__":
    sys.exit(main())
