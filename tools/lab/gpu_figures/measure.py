"""Runs the programs, and writes what they found after each."""
import concurrent.futures
import datetime
import json
import os
import subprocess
import sys

from gpu_figures import cases, checks, figures, logs, tables

LIMIT = 600  # seconds a command may take
HERE = os.path.dirname(os.path.abspath(__file__))
SELECT_BY_TORCH = os.path.join(HERE, "..", "benchmarks", "select_torch.py")


def folder_bytes(folder):
    if not os.path.isdir(folder):
        return 0
    return sum(os.path.getsize(os.path.join(path, name))
               for path, _, names in os.walk(folder) for name in names)


def call(command):
    """Runs a command. Returns what it said on standard output, and what went wrong, if so."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "", f"not done after {LIMIT} s"
    except OSError as error:
        return "", str(error)
    if done.returncode != 0:
        said = " ".join(done.stderr.decode(errors="replace").split())
        return "", f"status {done.returncode}: {said[-300:]}"
    return done.stdout.decode(errors="replace"), None


def call_for_json(command, json_file):
    """Likewise of a command that writes `json_file`: its document."""
    if os.path.exists(json_file):
        os.remove(json_file)  # an earlier run's figures must not pass for this one's
    _, why = call(command + ["--json", json_file])
    if why:
        return {}, why
    try:
        with open(json_file, encoding="utf-8") as file:
            return json.load(file), None
    except (OSError, ValueError) as error:
        return {}, f"no figures: {error}"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file
                     if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else "unknown"


def circumstances():
    """When and where, and of which form."""
    commit, why = call(["git", "-C", HERE, "describe", "--always", "--dirty"])
    return {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "processor": processor(), "cores": os.cpu_count(),
            "commit": commit.strip() if not why else "unknown"}


def with_one_pass(command):
    """Whatever passes it asks for."""
    if "--repetitions" in command:
        place = command.index("--repetitions")
        command = command[:place] + command[place + 2:]
    return command + ["--repetitions", "1"]


class Measure:
    def __init__(self, given):
        self.given = given
        self.warpdex = self.program("warpdex")
        self.json_file = os.path.join(given.output, "last.json")
        self.is_whole = not (given.quick or given.queries or given.documents)
        self.circumstances = circumstances()
        self.rows = []
        self.kernels = {}
        self.failures = []

    def program(self, name):
        """In a build folder, or in one of programs."""
        path = os.path.join(self.given.build, name)
        return path if os.path.exists(path) else os.path.join(self.given.build, "bin", name)

    def has_failed(self):
        return bool(self.failures) or any("failed" in row for row in self.rows)

    def fail(self, what, why):
        self.failures.append(f"{what}: {why}")
        print(f"{what}: {why}", flush=True)
        self.write()

    def measure_kernels(self):
        quick = self.given.quick
        programs = {"decode": ["--no-lengths"] if quick else [],
                    "select": ["--rows", "1000", "--repetitions", "3"] if quick else [],
                    "merge_find": ["--repetitions", "3"] if quick else []}
        for name, options in programs.items():
            program = self.program("warpdex_bench_" + name)
            document, why = call_for_json([program, *options], self.json_file)
            if why:
                self.fail(f"warpdex_bench_{name}", why)
                continue
            self.kernels[name] = document
            print(f"warpdex_bench_{name}: done", flush=True)
            self.write()

    def measure_torch(self):
        """What selection is compared with, where PyTorch is installed."""
        if call([sys.executable, "-c", "import torch"])[1]:
            print("torch.topk: PyTorch is not installed", flush=True)
            return
        said, why = call([sys.executable, SELECT_BY_TORCH])
        if why:
            self.fail("torch.topk", why)
            return
        self.kernels["torch"] = {"said": said.strip()}
        self.write()

    def generate(self, codec, impacts):
        """The collection; why it is not there, if it is not."""
        given = self.given
        options = cases.CODECS[codec] + (["--impacts"] if impacts else [])
        if given.quick or given.documents:
            options += ["--documents", str(given.documents or 1_000_000)]
        if given.quick or given.queries:
            options += ["--queries", str(given.queries or 200)]
        name = codec + (" impacts" if impacts else "")
        folder = os.path.join(given.output, "data", "-".join(["gov2"] + options).replace("--", ""))
        found = cases.Collection(name, os.path.join(folder, "index"),
                                 os.path.join(folder, "queries.tsv"), [])
        if os.path.exists(found.queries) and os.path.isdir(found.index):
            return found, None
        _, why = call([self.program("warpdex-lab"), "generate", "--preset", "gov2", *options, "--output", folder,
                       "--quiet"])
        return found, why

    def generate_both(self, codec):
        """Its collections, of frequencies and of impacts, beside each other."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda impacts: self.generate(codec, impacts), (False, True)))

    def run(self, name, case, command, why_not):
        """A case's row, which tells of failure if there is a reason why it cannot be run."""
        rows = []
        for _ in range(1 if self.given.quick else case.runs):
            document, why = ({}, why_not) if why_not else call_for_json(command, self.json_file)
            if why:
                return {"collection": name, "case": case.name, "command": command, "failed": why}
            rows.append(figures.figure_of(name, case.name, command, document,
                                          self.kernels.get("decode", {}), self.is_whole))
        return figures.of_runs(rows)

    def bench(self, collection, some, why_not=None):
        for case in some:
            command = [self.warpdex, "bench", collection.index, "--queries", collection.queries,
                       *collection.options, *case.arguments]
            if self.given.quick:
                command = with_one_pass(command)
            row = self.run(collection.name, case, command, why_not)
            print(f"{collection.name}, {case.name}: "
                  f"{tables.number(row.get('microseconds_a_query'))} µs {tables.remark(row)}",
                  flush=True)
            self.rows.append(row)
            self.write()

    def answers_of(self, collection, *options):
        """What the GPU answers to the collection's log."""
        file = os.path.join(self.given.output, "answers.json")
        _, why = call([self.warpdex, "search", collection.index, "--queries", collection.queries,
                       "--device", "gpu", "--output-format", "json", "--output", file, *options])
        return ([], why) if why else (logs.read_answers(file), None)

    def bench_logs(self, collection):
        """Logs that are made of the collection's own."""
        answers = {}
        for name, options in (("and-or", ["--mode", "and-or", "-k", "10"]),
                              ("or", ["--mode", "or", "-k", "1", "--count"]),
                              ("and", ["--mode", "and", "-k", "1", "--count"])):
            answers[name], why = self.answers_of(collection, *options)
            if why:
                return self.fail(f"{collection.name}, answers of {name}", why)
        return self.bench_made(collection, logs.make(logs.read(collection.queries), answers,
                                                     os.path.dirname(collection.queries)))

    def bench_made(self, collection, made):
        for name, prefix, path, _ in made:
            some = [case._replace(name=f"{prefix}: {case.name}")
                    for case in cases.log_cases()[name]]
            self.bench(collection._replace(queries=path), some)

    def measure_long(self):
        """Long queries over the first codec's collections, and nothing else."""
        for collection, why in self.generate_both(self.given.codecs[0]):
            if why:
                self.fail(collection.name, "it was not generated: " + why)
                continue
            self.bench_made(collection, logs.make_long(logs.read(collection.queries),
                                                       os.path.dirname(collection.queries)))

    def measure_generated(self):
        for i, codec in enumerate(self.given.codecs):
            for impacts, (collection, why) in zip((False, True), self.generate_both(codec)):
                if why:
                    why = "it was not generated: " + why
                some = cases.gpu_cases(i == 0, impacts)
                if i == 0 and not impacts:
                    size = folder_bytes(collection.index)
                    some += cases.cpu_cases() + cases.budget_cases(size, self.given.budgets)
                self.bench(collection, some, why)
                if i == 0 and not why:
                    self.bench_logs(collection)

    def measure_text(self):
        given = self.given
        if given.text:
            options = ["--query-format", given.text_format]
            self.bench(cases.Collection("text", given.text, given.text_queries, options),
                       cases.text_cases())

    def checks(self):
        if not self.is_whole:
            return []
        return checks.checks(self.rows, self.kernels, self.given.codecs)

    def table(self):
        where = self.circumstances
        parts = [f"{where['date']}, {where['processor']}, {where['cores']} cores, "
                 f"commit {where['commit']}", tables.engine_table(self.rows)]
        if self.is_whole:
            parts.append(tables.checks_table(self.checks()))
        parts += tables.kernel_tables(self.kernels)
        parts += [f"**failed:** {failure}" for failure in self.failures]
        if not self.is_whole:
            parts.append("Not the whole preset: no target holds.")
        return "\n\n".join(parts) + "\n"

    def write(self):
        """After every command, so that a run that is ended keeps what it has."""
        document = dict(self.circumstances, rows=self.rows, checks=self.checks(),
                        kernels=self.kernels, failed=self.failures)
        files = {"figures.json": json.dumps(document, indent=1, ensure_ascii=False),
                 "figures.md": self.table()}
        for name, content in files.items():
            with open(os.path.join(self.given.output, name), "w", encoding="utf-8") as file:
                file.write(content)
