"""Builds each method over each data set and searches it ever deeper, a line of CSV for each."""
import csv
import gc
import os
import statistics
import time

from . import data as data_sets

COLUMNS = ("data", "rows", "components", "system", "method", "setting", "k", "batch", "queries_in",
           "recall", "ms", "build_s", "bytes")
ENOUGH = 0.995  # recall from which no deeper search is timed
NO_GAIN = 0.002  # nor if the last step gained less
SLOW = 8.0      # nor after one that took so many seconds, with all repetitions


class Results:
    """The CSV file, and beside it what became of each case."""

    def __init__(self, path):
        self.path = path
        self._notes = path.with_suffix(".cases")
        if not path.exists():
            self._append(path, ",".join(COLUMNS))

    @staticmethod
    def _append(path, line):
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def add(self, row):
        self._append(self.path, ",".join(str(row[column]) for column in COLUMNS))

    def note(self, word, case):
        self._append(self._notes, f"{word} {case}")

    def state(self):
        """The last word noted of each case: begun (the process died in it), left, failed or done."""
        if not self._notes.exists():
            return {}
        lines = self._notes.read_text("utf-8").splitlines()
        return {case: word for word, _, case in (line.partition(" ") for line in lines)}

    def rows(self):
        """Without those of a case that was begun again: the last row of a setting counts."""
        with open(self.path, newline="", encoding="utf-8") as file:
            read = list(csv.DictReader(file))
        last = {tuple(row[name] for name in ("data", "system", "method", "setting", "k", "batch")): row
                for row in read}
        return list(last.values())


class Clock:
    def __init__(self, seconds):
        self._end = time.monotonic() + seconds
        self.begin = time.monotonic()

    def is_over(self):
        return time.monotonic() > self._end

    def say(self, text):
        print(f"[{time.monotonic() - self.begin:6.1f} s] {text}", flush=True)


def milliseconds(arrays, call, repetitions):
    """The median, after one call that warms, and that call's answer. Fewer calls if they are slow,
    more if they are short."""
    answer = call()
    taken = []
    wanted = 1
    while len(taken) < wanted:
        arrays.synchronize()
        begin = time.perf_counter()
        call()
        arrays.synchronize()
        taken.append(time.perf_counter() - begin)
        if taken[0] < 1:
            wanted = repetitions * (4 if taken[0] < 0.005 else 1)
    return statistics.median(taken) * 1e3, answer


def setting_text(setting):
    return " ".join(f"{key} {value}" for key, value in setting.items()) or "-"


class Case:
    """A method over a data set."""

    def __init__(self, data, method, library, given, results, clock):
        self.data, self.method, self.library = data, method, library
        self.given, self.results, self.clock = given, results, clock
        self.arrays = data.arrays

    def used(self):
        used = self.arrays.used()
        return self.library.used(used) if self.library else used

    def run(self):
        """Whether it came to its end."""
        self.arrays.clear()
        before = self.used()
        self.arrays.synchronize()
        begin = time.perf_counter()
        self.method.build(self.data)
        self.arrays.synchronize()
        self.build_s = time.perf_counter() - begin
        gc.collect()
        self.arrays.clear()
        self.bytes = self.used() - before + (self.data.bytes if self.method.bytes_beside else 0)
        self.clock.say(f"{self.data.name} {self.method.name}: built in {self.build_s:.2f} s")
        queries = self.data.queries
        if self.method.takes == "host":
            queries = self.arrays.to_host(queries)
        return all([self.deepen(queries, k) for k in self.given.k])

    def deepen(self, queries, k):
        last = -1.0
        for setting in self.method.settings(k):
            if self.clock.is_over():
                return False
            begin = time.perf_counter()
            recall = self.measure(queries, k, setting)
            slow = time.perf_counter() - begin > SLOW
            if recall >= ENOUGH or recall - last < NO_GAIN and recall > 0.5 or slow:
                break
            last = recall
        return True

    def measure(self, queries, k, setting):
        """Searches all queries at once and, for the first k, one; the recall of all."""
        method = self.method
        ms, found = milliseconds(self.arrays, lambda: method.search(queries, k, setting),
                                 self.given.repetitions)
        found = found[:data_sets.JUDGED]
        if method.takes == "gpu":
            found = self.arrays.to_host(found)
        recall = self.data.recall(found, k)
        self.add(setting, k, len(queries), recall, ms)
        text = f"  k {k} {setting_text(setting)}: {recall:.4f}, {ms:.3f} ms"
        if k == self.given.k[0]:
            one, _ = milliseconds(self.arrays, lambda: method.search(queries[:1], k, setting),
                                  self.given.repetitions)
            self.add(setting, k, 1, recall, one)
            text += f"; one {one:.3f} ms"
        self.clock.say(text)
        return recall

    def add(self, setting, k, batch, recall, ms):
        shape = self.data.shape
        self.results.add({
            "data": self.data.name, "rows": shape.rows, "components": shape.dimension,
            "system": self.method.system, "method": self.method.name,
            "setting": setting_text(setting), "k": k, "batch": batch,
            "queries_in": self.method.takes, "recall": f"{recall:.4f}", "ms": f"{ms:.4f}",
            "build_s": f"{self.build_s:.3f}", "bytes": self.bytes})


def run_case(case, name):
    """A case that fails is told of, and the next follows."""
    case.results.note("begun", name)
    try:
        case.results.note("done" if case.run() else "left", name)
    except Exception as error:  # of any library
        text = " ".join(str(error).split())[:300]
        case.clock.say(f"{name} FAILED: {type(error).__name__}: {text}")
        case.results.note("failed", name)
        if "illegal memory" in text or "CUDA error" in text:
            raise SystemExit("the GPU's context may be broken; the same command goes on") from error
    finally:
        case.method.close()
        gc.collect()
