"""ann-benchmarks, without Docker: the adapter's definitions over two sets of real vectors."""
import shutil
import sys

from .sets import articles_minilm, wallpaper_sift
from .steps import HERE, InThisProcess, install, working_in

RUNS = 3


def write_set(made, file):
    """In the project's form."""
    import h5py
    with h5py.File(file, "w") as to:
        to.attrs.update({"type": "dense", "point_type": "float", "distance": made.distance,
                         "dimension": made.base.shape[1]})
        for name, values in (("train", made.base), ("test", made.queries),
                             ("neighbors", made.neighbors), ("distances", made.distances)):
            to.create_dataset(name, data=values)


def play(checkout, data, beside):
    """Rows of figures, also of these algorithms of the project's own."""
    install(HERE / "ann-benchmarks" / "warpdex", checkout / "ann_benchmarks/algorithms/warpdex")
    (checkout / "data").mkdir(exist_ok=True)
    rows = []
    with working_in(checkout, checkout):
        from ann_benchmarks import datasets, main
        main.multiprocessing = InThisProcess
        for made in (wallpaper_sift(data), articles_minilm(data)):
            shutil.rmtree(checkout / "results" / made.name, ignore_errors=True)  # of earlier runs
            write_set(made, checkout / "data" / f"{made.name}.hdf5")
            datasets.DATASETS[made.name] = None  # it is there, so that nothing makes it
            chosen = [["--definitions", str(HERE / "ann-benchmarks")]]
            chosen += [["--algorithm", name] for name in beside]
            for options in ([*each, *batch] for batch in ([], ["--batch"]) for each in chosen):
                sys.argv = ["run.py", "--local", "--force", "--dataset", made.name, "--runs",
                            str(RUNS), *options]
                main.main()
            rows += figures(made.name)
    return rows


def figures(name):
    """As the project computes them."""
    from ann_benchmarks.datasets import get_dataset
    from ann_benchmarks.plotting.utils import compute_metrics_all_runs
    from ann_benchmarks.results import load_all_results
    for batch in (False, True):
        found = compute_metrics_all_runs(get_dataset(name)[0],
                                         load_all_results(name, 10, batch_mode=batch))
        for each in sorted(found, key=lambda each: (each["algorithm"], each["parameters"])):
            yield {"harness": "ann-benchmarks" + (" --batch" if batch else ""), "data": name,
                   "algorithm": each["algorithm"], "parameters": each["parameters"],
                   "recall@10": round(each["k-nn"], 4), "queries a second": round(each["qps"]),
                   "build, s": round(each["build"], 2)}
