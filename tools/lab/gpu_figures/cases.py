"""What is timed: options of `warpdex-lab generate` and of `warpdex bench`."""
import collections

from gpu_figures import logs

CODECS = {codec: ["--codec", codec] for codec in ("bitpack", "rice", "pfor-block", "pfor")}
CODECS["plain"] = ["--codec", "bitpack", "--no-bit-sets"]
for levels in (0, 2, 3, 4):
    CODECS[f"pfor-{levels}"] = ["--codec", "pfor", "--pfor-levels", str(levels)]

Collection = collections.namedtuple("Collection", "name index queries options")
Case = collections.namedtuple("Case", "name arguments runs", defaults=[1])

IN_FLIGHT = (1, 2, 4)
SMALLER_BATCHES = (250, 64)
RUNS = 5  # of what waits for the host: processes may differ by a third


def search(mode, k, *more):
    return ["--mode", mode, "-k", str(k), *more]


def on_gpu(cases):
    return [case._replace(arguments=case.arguments + ["--device", "gpu"]) for case in cases]


def gpu_cases(first, impacts):
    """Of every generated collection; more of the first. AND skips blocks whenever it scores by
    impacts."""
    cases = [Case(f"{mode} {k}", search(mode, k))
             for k in (10, 1000) for mode in ("or", "and", "and-or")]
    cases += [Case(f"or {k} exhaustive", search("or", k, "--exhaustive")) for k in (10, 1000)]
    cases.append(Case("or 10 count", search("or", 10, "--count")))
    if first:
        cases += [Case(f"{mode} 10 one by one", search(mode, 10, "--batch-size", "1"), RUNS)
                  for mode in ("or", "and")]
        cases += [Case(f"or {k} by {size}", search("or", k, "--batch-size", str(size)))
                  for k in (10, 1000) for size in SMALLER_BATCHES]
        staged = [("or", 10), ("or", 1000), ("and", 10), ("or", 10, "--exhaustive")]
        if not impacts:
            cases.append(Case("and 10 exhaustive", search("and", 10, "--exhaustive")))
            staged.append(("and", 10, "--exhaustive"))
        cases += [Case(f"{mode} {k}{' exhaustive' if more else ''} stages",
                       search(mode, k, *more, "--stages")) for mode, k, *more in staged]
        cases += [Case(f"or {k} {method}", search("or", k, "--or-by", method))
                  for k in (10, 1000)
                  for method in ("adding-up", "looking-up", "searching", "decoding-once")]
        cases += [Case(f"or {k} without seeds", search("or", k, "--no-seeds")) for k in (10, 1000)]
    return on_gpu(cases)


def cpu_cases():
    """By all cores, queries beside each other, and by one, which takes long: one pass is enough."""
    every = (("or", 10), ("or", 1000), ("and", 10), ("or", 10, "--count"))
    by = (("CPU", ["--threads", "0"]), ("one core", ["--threads", "1", "--repetitions", "1"]))
    return [Case(f"{mode} {k}{' count' if more else ''} {name}", search(mode, k, *more, *options))
            for mode, k, *more in every for name, options in by]


def text_cases():
    """Of a real log: all queries at once, and 64 at a time: as batches of 64, one or more of a
    thread under way, from one thread and from four, and as two of 32."""
    cases = []
    for mode, k in (("or", 10), ("or", 1000), ("and", 10)):
        by_64 = search(mode, k, "--batch-size", "64")
        cases += [Case(f"{mode} {k} CPU", search(mode, k, "--threads", "0")),
                  Case(f"{mode} {k} CPU by 64", by_64 + ["--threads", "0"])]
        cases += on_gpu([Case(f"{mode} {k}", search(mode, k))])
        cases += on_gpu([Case(f"{mode} {k} by 64, {n} in flight", by_64 + ["--in-flight", str(n)])
                         for n in IN_FLIGHT])
        cases += on_gpu([Case(f"{mode} {k} by 64, 4 threads", by_64 + ["--threads", "4"]),
                         Case(f"{mode} {k} by 32, 2 in flight",
                              search(mode, k, "--batch-size", "32", "--in-flight", "2"))])
    return [case._replace(runs=RUNS) for case in cases]


def budget_cases(index_bytes, parts):
    """With less GPU memory than the index takes. More passes: a few would be over in the time that
    another user of the host's memory may take."""
    searches = (("or", 10), ("or", 1000), ("or", 10, "--count"), ("and", 10))
    return on_gpu([Case(f"{mode} {k}{' count' if more else ''} in 1/{part} of the memory",
                        search(mode, k, *more, "--gpu-memory", str(index_bytes // part),
                               "--repetitions", "20"))
                   for part in parts for mode, k, *more in searches])


def log_cases():
    """By name of a log that is made of the collection's own (logs.py)."""
    passes = ["--repetitions", "40"]
    few = on_gpu([Case("or 10", search("or", 10, *passes)),
                  Case("or 10 exhaustive", search("or", 10, "--exhaustive", *passes))])
    few_of_and = on_gpu([Case("and 10", search("and", 10, *passes))])
    alone = on_gpu([Case(f"or {k} one by one", search("or", k, "--batch-size", "1"))
                    for k in (10, 1000)])
    together = on_gpu([Case("or 10", search("or", 10))])
    made = {"fallen back": together, "long": alone + together, "mixed": together}
    for name in ("the huge", "others", "others and the huge"):
        made |= {name: few, name + logs.OF_AND: few_of_and}
    return made
