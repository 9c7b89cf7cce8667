"""Logs of plain words: each engine times each query in its own process, so that no pipe is in the times,
and answers from terms that it has looked up (but for tantivy, whose Python call looks them up)."""
import csv
import json
import statistics
import subprocess
from pathlib import Path

BM25 = ["--bm25-k1", "0.9", "--bm25-b", "0.4"]
CODES = "block_simdbp"
PASSES = 3  # of an engine's turn
# By what PISA answers a command: it has nothing that counts and selects, so two times are added up.
PISA = {"AND_TOP_10": ["ranked_and"], "OR_TOP_10": ["maxscore"], "OR_TOP_1000": ["maxscore"],
        "OR_TOP_10_COUNT": ["maxscore", "or"]}
COMMANDS = list(PISA)


def run(command, **settings):
    return subprocess.run([str(each) for each in command], check=True, stdout=subprocess.PIPE, **settings).stdout


def parts_of(command):
    """Of AND_TOP_10: "and" and 10."""
    mode, _, k = command.partition("_TOP_")
    return mode.lower(), k.removesuffix("_COUNT")


class Log:
    """The queries of a file of lines "id, tab, words" whose words are all in the index, each word once."""

    def __init__(self, file, terms, folder):
        self.name, self.folder = Path(file).stem, folder
        with open(file, encoding="utf-8") as lines:
            texts = [list(dict.fromkeys(line.rstrip("\n").split("\t", 1)[1].split())) for line in lines]
        self.queries = [words for words in texts if words and all(word in terms for word in words)]
        self.write("plain", lambda words: " ".join(words), "{}\t{}")
        self.write("OR", lambda words: " ".join(words), "{1}")
        self.write("AND", lambda words: " ".join("+" + word for word in words), "{1}")
        self.write("terms", lambda words: " ".join(str(terms[word]) for word in words), "{}:{}")

    def file(self, form):
        return self.folder / f"{self.name}.{form}"

    def write(self, form, text, line):
        with open(self.file(form), "w", encoding="utf-8") as out:
            for number, words in enumerate(self.queries, 1):
                out.write(line.format(number, text(words)) + "\n")


class Warpdex:
    """warpdex bench."""
    name = "warpdex"

    def __init__(self, program, index):
        self.program, self.index = program, index

    def times(self, log, command):
        mode, k = parts_of(command)
        count = ["--count"] if command.endswith("_COUNT") else []
        said = run([self.program, "bench", self.index, "--queries", log.file("plain"), "--mode", mode, "-k", k,
                    *count, "--threads", 1, "--device", "cpu", "--bm25-form", "pisa", "--repetitions", PASSES,
                    "--json", "-"])
        return json.loads(said)["shortest_microseconds"]


class Pisa:
    """Its programs: compress_inverted_index, create_wand_data and queries, over our export."""
    name = "pisa"

    def __init__(self, programs, export, folder):
        self.programs, self.folder = Path(programs), folder
        folder.mkdir(exist_ok=True)
        if not (folder / "wand").exists():
            run([self.programs / "compress_inverted_index", "-c", export, "-e", CODES, "-o", folder / "lists"])
            run([self.programs / "create_wand_data", "-c", export, "-b", 128, "-s", "bm25", *BM25, "-o",
                 folder / "wand"])

    def times(self, log, command):
        sums = [0.0] * len(log.queries)
        for algorithm in PISA[command]:
            for place, taken in enumerate(self.times_of(log, algorithm, parts_of(command)[1])):
                sums[place] += taken
        return sums

    def times_of(self, log, algorithm, k):
        out = self.folder / "times"
        run([self.programs / "queries", "-e", CODES, "-i", self.folder / "lists", "-w", self.folder / "wand",
             "-q", log.file("terms"), "--tokenizer", "whitespace", "-k", k, "-a", algorithm, "-s", "bm25", *BM25,
             "--runs", PASSES, "-L", "warn", "-o", out])
        times = [float("inf")] * len(log.queries)
        with open(out, encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                place = int(row["qid"]) - 1
                times[place] = min(times[place], float(row["usec"]))
        return times


class Served:
    """An engine of the game that stays: it times a file of queries by itself. Where it counts, too, a query's
    time is that of one call, or of two if these are faster: for the best documents, and for the count."""

    def __init__(self, engine):
        self.engine, self.name = engine, engine.name

    def times(self, log, command):
        mode, _, asked = command.partition("_")
        one = self.times_of(log.file(mode), asked)
        if not asked.endswith("_COUNT"):
            return one
        best = self.times_of(log.file(mode), asked.removesuffix("_COUNT"))
        count = self.times_of(log.file(mode), "COUNT")
        return [min(call, sum(calls)) for call, *calls in zip(one, best, count)]

    def times_of(self, file, asked):
        passes = [self.engine.ask(f"TIMES {asked}", file)[0].split() for _ in range(PASSES)]
        return [min(map(float, times)) for times in zip(*passes)]


def play(engines, log, command, rounds):
    """By engine the shortest time of each query, after one turn that is not counted; the engines take turns."""
    shortest = {engine.name: [float("inf")] * len(log.queries) for engine in engines}
    for turn in range(rounds + 1):
        for engine in engines:
            times = engine.times(log, command)
            if turn > 0:
                shortest[engine.name] = list(map(min, shortest[engine.name], times))
    return shortest


def summary(log, command, shortest):
    """Rows of an engine; of the first one also how many queries take more than 5 µs longer than by each
    other engine, the largest such difference and its query."""
    for place, (name, times) in enumerate(shortest.items()):
        ordered = sorted(times)
        peers = list(zip(*(others for peer, others in shortest.items() if peer != name)))
        behind = []
        if place == 0 and peers:
            behind = sorted((own - max(others), query) for own, others, query in zip(times, peers, log.queries))
        slower = [each for each in behind if each[0] > 5]
        worst = (round(slower[-1][0], 1), " ".join(slower[-1][1])) if slower else ("", "")
        yield (log.name, command, name, len(times), round(statistics.fmean(times), 1),
               round(statistics.median(times), 1), round(ordered[int(len(ordered) * 0.99)], 1),
               len(slower) if place == 0 else "", *worst)


def read_terms(file):
    """A dict from terms to their numbers."""
    with open(file, encoding="utf-8") as lines:
        return {line.rstrip("\n"): number for number, line in enumerate(lines)}


def compare_logs(engines, logs, rounds, output):
    """Writes OUTPUT/logs.csv, and OUTPUT/log-queries.csv with every query."""
    names = [engine.name for engine in engines]
    rows = [("log", "command", "engine", "queries", "mean_us", "p50_us", "p99_us", "slower_than_all",
             "slower_by_us", "slower_query")]
    of_queries = [("log", "command", "query", *names)]
    for log in logs:
        for command in COMMANDS:
            shortest = play(engines, log, command, rounds)
            rows += summary(log, command, shortest)
            of_queries += [(log.name, command, " ".join(words), *times)
                           for words, *times in zip(log.queries, *shortest.values())]
    for file, content in (("logs.csv", rows), ("log-queries.csv", of_queries)):
        with open(output / file, "w", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows(content)
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
