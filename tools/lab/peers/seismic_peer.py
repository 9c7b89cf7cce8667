"""Seismic for tools/lab/measure-sparse: seismic_peer.py FOLDER NAME [POSTINGS]

With POSTINGS indexes FOLDER/NAME.docs.jsonl by so many postings a list, on all cores. Without it
does so by several numbers, answers NAME.queries.jsonl by many settings, and writes
NAME.points.json: for each setting recall at 10 of NAME.truth.json, the least of the passes in
microseconds a query, MB, and build seconds. Indexes that are there already are taken.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import seismic

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from learned_sparse.results import recall  # noqa: E402

POSTINGS = (150, 300, 1_000)  # of a list, on average
CUTS = (4, 5, 6, 8, 10, 12, 15)
HEAP_FACTORS = (0.7, 0.8, 0.9, 1.0)
PASSES = 4


def build(folder, name, postings):
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    stem, given = folder / f"{name}.seismic{postings}", folder / f"{name}.seismic.jsonl"
    with open(folder / f"{name}.docs.jsonl") as lines, open(given, "w") as copy:
        for line in lines:
            copy.write(json.dumps({**json.loads(line), "content": ""}) + "\n")
    start = time.monotonic()
    built = seismic.SeismicIndex.build(str(given), n_postings=postings)
    Path(f"{stem}.seconds").write_text(str(round(time.monotonic() - start, 1)))
    built.save(str(stem))
    given.unlink()


def index_of(folder, name, postings):
    """An index, its size in MB, and the seconds that it took. Another process builds it: threads of
    the library keep the cores that they began with."""
    stem = folder / f"{name}.seismic{postings}"
    file = Path(f"{stem}.index.seismic")
    if not file.exists():
        subprocess.run([sys.executable, __file__, folder, name, str(postings)], check=True)
    seconds = float(Path(f"{stem}.seconds").read_text())
    return seismic.SeismicIndex.load(str(file)), file.stat().st_size / 1e6, seconds


def main():
    folder, name = Path(sys.argv[1]), sys.argv[2]
    if len(sys.argv) > 3:
        build(folder, name, int(sys.argv[3]))
        return
    truth = json.loads((folder / f"{name}.truth.json").read_text())
    kind = seismic.get_seismic_string()
    with open(folder / f"{name}.queries.jsonl") as lines:
        queries = [json.loads(line) for line in lines]
    ids = np.array([query["id"] for query in queries], dtype=kind)
    terms = [np.array(list(query["vector"]), dtype=kind) for query in queries]
    weights = [np.array(list(query["vector"].values()), dtype=np.float32) for query in queries]
    points = []
    for postings in POSTINGS:
        index, size, seconds = index_of(folder, name, postings)
        for cut in CUTS:
            for factor in HEAP_FACTORS:
                best, found = float("inf"), []
                for _ in range(PASSES):
                    start = time.perf_counter()
                    found = index.batch_search(ids, terms, weights, k=10, query_cut=cut,
                                               heap_factor=factor, num_threads=1)
                    best = min(best, time.perf_counter() - start)
                answers = {hits[0][0]: [hit[2] for hit in hits] for hits in found if hits}
                setting = f"n_postings {postings}, query_cut {cut}, heap_factor {factor}"
                points.append({"setting": setting, "recall": round(recall(truth, answers), 4),
                               "us": round(best / len(queries) * 1e6, 1), "mb": round(size, 1),
                               "build_s": seconds})
    (folder / f"{name}.points.json").write_text(json.dumps(points))


if __name__ == "__main__":
    main()
