"""The host: its GPUs, the programs, and what a case is and gives."""
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

LIMIT = 1800  # seconds of one command


class NotHere(Exception):
    """What a case needs is missing on this host."""


class Failed(Exception):
    """A command of a case failed."""


@dataclasses.dataclass
class Row:
    """A time. `work`: how many times the work of the row of one GPU it is for, so that the set of
    GPUs is work * (time of one GPU) / milliseconds times as fast."""
    what: str  # without the form
    form: str  # "one GPU", "replicas", "shards", "2 x 2", or "shared": k-means, processes
    milliseconds: float
    work: int = 1
    is_drawn: bool = False  # in the plot


@dataclasses.dataclass
class Outcome:
    rows: list
    # What was answered, to checksums that must all be the same.
    answers: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Case:
    name: str
    collection: str  # whose files can go when its last case is done
    devices: str     # as 0,1
    run: callable    # gives an Outcome, or throws Failed or NotHere


def count(devices):
    return len(devices.split(","))


def forms(devices):
    """(form, shards) of the ways in which a set of GPUs shares the work."""
    gpus = count(devices)
    if gpus == 1:
        return [("one GPU", 1)]
    return [("replicas", 1), ("shards", gpus)] + ([("2 x 2", 2)] if gpus == 4 else [])


def millions(number):
    return f"{number / 1e6:.3g} M" if number >= 100_000 else f"{number:,}"


class Host:
    """`is_cpu`: each GPU is a thread of the CPU, to try all of it; all sizes are small then."""

    def __init__(self, build, is_cpu=False, scale=1.0):
        self.build = Path(build).resolve()
        self.is_cpu = is_cpu
        self.scale = scale
        self.batch = 100 if is_cpu else 10_000  # queries a GPU

    def scaled(self, number, at_least=1):
        return max(at_least, int(number * self.scale))

    def gpus(self):
        """Numbers of the GPUs that can search."""
        found = self.json("warpdex", "devices")["devices"]
        return {str(one["device"]) for one in found if one["searches"]}

    def place(self, devices, shards=1):
        """Options that put a search on a set of GPUs."""
        gpus = count(devices)
        if self.is_cpu:
            return ["--threads", gpus]
        options = ["--device", "gpu", "--devices", devices]
        return options + (["--shards", shards, "--replicas", gpus // shards] if gpus > 1 else [])

    def share(self, devices):
        """Options that put k-means on a set of GPUs."""
        return (["--threads", count(devices)] if self.is_cpu else
                ["--device", "gpu", "--devices", devices])

    def building(self):
        return ["--threads", 1] if self.is_cpu else ["--device", "gpu"]

    def run(self, program, *words, environment=None):
        """Standard output of a program of the build folder."""
        return self.run_any(self.build / "bin" / program, *words, environment=environment)

    def run_any(self, *words, environment=None):
        words = [str(word) for word in words]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT,
                                  env={**os.environ, **(environment or {})})
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failed(str(error)) from error
        if done.returncode != 0:
            told = done.stderr.strip().splitlines()[-1:] or ["no message"]
            raise Failed(f"{' '.join(words)}: status {done.returncode}: {told[0]}")
        return done.stdout

    def python(self, *words, environment=None):
        """Runs a script with the Python package of the build folder."""
        return self.run_any(sys.executable, *words, environment={
            "PYTHONPATH": str(self.build / "python"), **(environment or {})})

    def json(self, program, *words):
        return json.loads(self.run(program, *words, "--json", "-"))
