"""cuvs-bench's orchestrator of Python backends, over real vectors."""
import numpy

from .bigann import write_rows
from .sets import wallpaper_sift
from .steps import HERE, working_in

K = 10


def play(checkout, data, work, device):
    """Rows of figures. Files and indexes lie in the folder `work`."""
    made = wallpaper_sift(data)
    folder = work / made.name
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "base.fbin", numpy.float32, made.base)
    write_rows(folder / "query.fbin", numpy.float32, made.queries)
    write_rows(folder / "neighbors.ibin", numpy.int32, made.neighbors)
    sets = work / "datasets.yaml"
    sets.write_text(f"- name: {made.name}\n  base_file: {made.name}/base.fbin\n"
                    f"  query_file: {made.name}/query.fbin\n  dims: {made.base.shape[1]}\n"
                    f"  groundtruth_neighbors_file: {made.name}/neighbors.ibin\n"
                    f"  distance: {made.distance}\n")
    rows = []
    with working_in(checkout, HERE / "cuvs-bench", checkout / "python" / "cuvs_bench"):
        import warpdex_bench
        from cuvs_bench.orchestrator import BenchmarkOrchestrator
        warpdex_bench.register()
        runner = BenchmarkOrchestrator(backend_type="warpdex")
        for batch_size in (1, 1000):
            found = runner.run_benchmark(
                dataset=made.name, dataset_path=str(work), dataset_configuration=str(sets),
                groups="test" if device == "cpu" else "base", count=K, batch_size=batch_size,
                force=batch_size == 1, device=device)
            rows += figures(made.name, batch_size, device, found)
    return rows


def figures(name, batch_size, device, results):
    """Of each index the builds and searches."""
    for built, searched in zip(results[::2], results[1::2]):
        for result in (built, searched):
            if not result.success:
                raise RuntimeError(result.error_message)
        for each in searched.metadata["per_search_param_results"]:
            depth = " ".join(f"{key}={value}" for key, value in each["search_params"].items())
            yield {"harness": f"cuvs-bench, batches of {batch_size}, {device}", "data": name,
                   "algorithm": searched.algorithm, "parameters": f"{each['index']} {depth}".strip(),
                   "recall@10": round(each["recall"], 4),
                   "queries a second": round(each["queries_per_second"]),
                   "build, s": round(built.build_time_seconds, 2) if batch_size == 1 else ""}
