"""Cases of text: searches of generated documents."""
import functools
import hashlib
import json
import shutil

from . import serving
from .host import Case, Outcome, Row, count, forms, millions

DOCUMENTS = 25_200_000
QUERIES = 1000
SEARCHES = {"OR 10": ["--mode", "or", "-k", 10], "OR 1000": ["--mode", "or", "-k", 1000],
            "AND 10": ["--mode", "and", "-k", 10],
            "OR 10 counted": ["--mode", "or", "-k", 10, "--count"]}
SINGLE = ("OR 10", "AND 10")
TIMES = 3


class Text:
    """Generated parts of DOCUMENTS each, of different seeds, which all have the same queries."""

    def __init__(self, host, folder):
        self.host = host
        self.folder = folder
        self.documents = host.scaled(DOCUMENTS, 1000)
        self.log_size = 50 if host.is_cpu else QUERIES
        self.name = f"{millions(self.documents)} documents"

    def made(self, name, make):
        """A folder that make(path beside it) makes; one that is there is taken as it is."""
        path = self.folder / name
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            beside = self.folder / f"new-{name}"
            shutil.rmtree(beside, ignore_errors=True)
            make(beside)
            beside.rename(path)
        return path

    def seed(self, number):
        return self.made(f"seed-{number}", lambda path: self.host.run(
            "warpdex-lab", "generate", "--preset", "gov2", "--documents", self.documents,
            "--queries", self.log_size, "--seed", number, "--query-seed", 1, "--output", path,
            "--threads", int(self.host.is_cpu), "--quiet"))

    def index(self):
        return self.seed(1) / "index"

    def queries(self, size=0):
        """The log, or the log again and again up to a size."""
        log = self.seed(1) / "queries.tsv"
        if not size:
            return log
        path = self.folder / f"queries-{size}.tsv"
        texts = [line.split("\t", 1)[1] for line in log.read_text("utf-8").splitlines()]
        lines = (f"{i + 1}\t{texts[i % len(texts)]}\n" for i in range(size))
        path.write_text("".join(lines), "utf-8")
        return path

    def halves(self, shards):
        """The first part cut into as many as there are shards."""
        return self.index() if shards == 1 else self.made(
            f"split-{shards}", lambda path: self.host.run(
                "warpdex", "split", self.index(), "--into", shards, "--output", path, "--quiet",
                "--threads", int(self.host.is_cpu)))

    def parts(self, number):
        """That many parts as one index."""
        def link(path):
            path.mkdir()
            for part in range(number):
                (path / f"part-{part}").symlink_to(self.seed(part + 1) / "index")
        return self.index() if number == 1 else self.made(f"parts-{number}", link)


def bench(text, index, queries, search, place, *options):
    report = text.host.json("warpdex", "bench", index, "--queries", queries, *SEARCHES[search],
                            "--repetitions", TIMES, *place, *options)
    by_cpu = report["queries_by_processor"]["cpu"]
    if by_cpu and not text.host.is_cpu:
        print(f"  note: the CPU answered {by_cpu} of the queries", flush=True)
    return report


def milliseconds(report):
    """Of all queries."""
    return report["queries"]["count"] / report["queries_per_second"] * 1e3


def checksum(answers):
    """Of documents, scores and counts. Matches that are not counted are a lower bound, which
    depends on how an index is cut."""
    for one in answers["queries"]:
        if not one["matches_exact"]:
            del one["matches"]
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()


def answered(text, index, search, place):
    """Milliseconds of the log, and the checksum of the answers."""
    output = text.folder / "answers.json"
    report = bench(text, index, text.queries(), search, place, "--output", output,
                   "--output-format", "json")
    answers = json.loads(output.read_bytes())
    output.unlink()
    return milliseconds(report), checksum(answers)


def one_at_a_time(text, index, search, place):
    """(percentile, milliseconds)."""
    found = bench(text, index, text.queries(), search, place, "--batch-size", 1)["microseconds"]
    return [(at, found[at] / 1e3) for at in ("p50", "p99")]


def search(text, name, form, shards, devices):
    """One part: whole on each GPU, or cut."""
    host, gpus = text.host, count(devices)
    index, place = text.halves(shards), host.place(devices, shards)
    what = f"{text.name}, {name}"
    taken, answers = answered(text, index, name, place)
    rows = [Row(f"{what}, {text.log_size} queries", form, taken)]
    sizes = [(host.batch, f"{host.batch} queries", 1)] if form in ("one GPU", "shards") else []
    if form != "shards":
        sizes.append((host.batch * gpus, f"{host.batch} queries a GPU", gpus))
    measured = {}
    for size, words, work in sizes:
        if size not in measured:
            measured[size] = milliseconds(bench(text, index, text.queries(size), name, place))
        rows.append(Row(f"{what}, {words}", form, measured[size], work, True))
    return Outcome(rows, {what: [answers]})


def single(text, name, form, shards, devices):
    found = one_at_a_time(text, text.halves(shards), name, text.host.place(devices, shards))
    return Outcome([Row(f"{text.name}, {name}, one at a time, {at}", form, taken)
                    for at, taken in found])


def parts(text, name, devices):
    """A part on each GPU. The answers of one GPU over all parts are compared, too."""
    host, gpus = text.host, count(devices)
    index, place = text.parts(gpus), host.place(devices, gpus)
    form = "one GPU" if gpus == 1 else "shards"
    what = f"{text.name} a GPU, {name}"
    _, answers = answered(text, index, name, place)
    taken = milliseconds(bench(text, index, text.queries(host.batch), name, place))
    found = [answers]
    if gpus > 1:
        found.append(answered(text, index, name, host.place(devices.split(",")[0]))[1])
    rows = [Row(f"{what}, {host.batch} queries", form, taken, gpus, True)]
    if name in SINGLE:
        rows += [Row(f"{what}, one at a time, {at}", form, taken, gpus)
                 for at, taken in one_at_a_time(text, index, name, place)]
    return Outcome(rows, {f"{what}, {gpus} parts on {gpus} and on one": found})


def cases(host, folder, sets):
    text = Text(host, (folder / "text").resolve())

    def case(name, devices, call, *given):
        return Case(f"text/{name}/{devices}", "text", devices,
                    functools.partial(call, text, *given, devices))
    for name in SEARCHES:
        for devices in sets:
            for form, shards in forms(devices):
                yield case(f"{name}/{form}", devices, search, name, form, shards)
    for name in SINGLE:
        for devices in sets:
            for form, shards in forms(devices):
                yield case(f"{name} single/{form}", devices, single, name, form, shards)
    for devices in sets:
        for name in SEARCHES:
            yield case(f"parts/{name}", devices, parts, name)
    for name, call in (("scheduler", serving.scheduler), ("processes", serving.processes)):
        for devices in sets:
            yield case(name, devices, call)
