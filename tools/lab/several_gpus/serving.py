"""Cases of text in use: the scheduler, and parts in one process and in several through Ray."""
import re
import shutil
from pathlib import Path

from .host import Failed, NotHere, Outcome, Row, count

MIX = "or:10,and:10,or:1000,and:1000"
MEASURE_CLUSTER = Path(__file__).resolve().parent.parent / "measure-cluster"


def scheduler(text, devices):
    """The highest rates with a deadline of 100 ms, as the milliseconds of 1,000 queries."""
    host = text.host
    index, queries = text.index(), text.queries()
    if not host.is_cpu and not Path(f"{index}.costs.json").exists():
        host.run("warpdex", "calibrate", index, "--queries", queries, "--modes", "or,and",
                 "--limit", 300, "--device", "gpu")
    on = "cpu" if host.is_cpu else "cpu,gpu,both" if count(devices) == 1 else "gpu,both"
    found = host.json("warpdex", "load", index, "--queries", queries, "--mix", MIX, "--find-rate",
                      "--deadline", 100, "--seconds", 0.2 if host.is_cpu else 3,
                      "--on", on, *host.place(devices))
    names = {"cpu": "CPU", "gpu": "GPUs", "both": "both"}
    form = "one GPU" if count(devices) == 1 else "replicas"
    return Outcome([Row(f"{text.name}, 1000 queries, scheduler's highest rate, "
                        f"{names[one['on']]}", form, 1e6 / one["queries_per_second"], 1,
                        one["on"] != "cpu" or host.is_cpu)
                    for one in found["highest_rates"] if one["queries_per_second"] > 0])


def processes(text, devices):
    """Parts with a GPU each, in one process, and in a process each through Ray."""
    host, gpus = text.host, count(devices)
    try:
        host.python("-c", "import warpdex.cluster, fsspec")
    except Failed as error:
        raise NotHere("the Python package with fsspec cannot be imported") from error
    index = text.halves(gpus)
    indexes = [index] if gpus == 1 else [index / f"part-{part}" for part in range(gpus)]
    folder = text.folder / "cluster"
    shutil.rmtree(folder, ignore_errors=True)
    told = host.python(MEASURE_CLUSTER, folder, "--indexes", *indexes, "--queries", text.queries(),
                       "--at-once", 4, "--batches", 2 if host.is_cpu else 15, "--gpus",
                       int(not host.is_cpu), environment={"CUDA_VISIBLE_DEVICES": devices})
    shutil.rmtree(folder)
    form = "one GPU" if gpus == 1 else "shared"
    rows = [Row(f"{text.name}, {words[0]} by {words[2]} queries, {words[1]}", form, float(words[3]))
            for words in cluster_lines(told)]
    if not any("Ray" in row.what for row in rows):
        print("  Ray is not here: one process alone", flush=True)
    return Outcome(rows)


def cluster_lines(told):
    """(k, where, queries of a batch, milliseconds) of what measure-cluster says."""
    for where, k, queries, taken in re.findall(
            r"^(\S[^\t\n]*)\t(k \d+)\t.*\tbatch of (\d+) ([0-9.]+) ms$", told, re.MULTILINE):
        yield k, where, queries, taken
