"""Searches on a GPU, with torch's tensors and with arrays of other libraries, beside the CPU's
answers. Needs neither pytest nor the checkout: python3 test_gpu.py"""

from __future__ import annotations

import gc
import random
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

import numpy as np

import warpdex
from warpdex.vectors import Index, kmeans

try:
    import torch  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    torch = None

DIMENSION = 96
GENERATOR = np.random.default_rng(53)
ROWS = GENERATOR.standard_normal((20_000, DIMENSION), dtype=np.float32)
QUERIES = GENERATOR.standard_normal((1000, DIMENSION), dtype=np.float32)
KINDS: list[dict[str, Any]] = [
    {}, {"metric": "ip"}, {"metric": "cosine", "store": "half"}, {"lists": 64},
    {"lists": 64, "metric": "ip"}, {"lists": 64, "coding": "pq"},
    {"lists": 64, "coding": "pq", "pq_bytes": 12, "rotated": True},
    {"lists": 64, "coding": "pq", "pq_bytes": 12, "rotated_dimension": 40},
]


def setUpModule() -> None:
    """Says why all is skipped."""
    why = warpdex.gpu_problem()
    if not why and torch is None:
        why = "torch is not installed"
    if not why and not torch.cuda.is_available():
        why = "torch finds no GPU"
    if why:
        raise unittest.SkipTest(why)


class Foreign:
    """A tensor that is known by one of the protocols alone."""

    def __init__(self, tensor: Any, protocol: str) -> None:
        self._tensor = tensor
        if protocol == "dlpack":
            self.__dlpack_device__ = tensor.__dlpack_device__
            self.__dlpack__ = tensor.__dlpack__
        else:
            interface = dict(tensor.__cuda_array_interface__)
            stream = torch.cuda.current_stream().cuda_stream
            interface.update(version=3, stream=stream or 1)
            self.__cuda_array_interface__ = interface


def bits(array: Any) -> bytes:
    """For comparisons in which every bit counts."""
    return array.tobytes() if isinstance(array, np.ndarray) else array.cpu().numpy().tobytes()


def used_memory() -> int:
    """Of the GPU, in bytes, by all who use it."""
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return int(total - free)


class GpuTest(unittest.TestCase):
    """With a folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def both(self, **settings: Any) -> tuple[Index, Index]:
        """The same index, searched on the CPU and on the GPU."""
        path = self.folder / "index"
        probes = 8 if "lists" in settings else 1
        cpu = Index.build(ROWS, path, device="cpu", probes=probes, progress=False, **settings)
        return cpu, Index.open(path, "gpu", probes=probes, gpu_memory="4G")

    def assert_same(self, found: Any, wanted: Any) -> None:
        for some, others in zip(found, wanted):
            self.assertEqual(tuple(some.shape), tuple(others.shape))
            self.assertEqual(bits(some), bits(others))


class VectorsOnTheGpu(GpuTest):
    """Index.search()."""

    def test_tensors_get_numpys_answers(self) -> None:
        for settings in KINDS:
            cpu, gpu = self.both(**settings)
            self.assertEqual((gpu.device, gpu.gpu), ("gpu", 0))
            for count, k in ((1000, 10), (1, 1), (7, 100), (0, 3), (300, 1500)):
                with self.subTest(settings=settings, count=count, k=k):
                    queries = torch.from_numpy(QUERIES[:count]).cuda()
                    found = gpu.search(queries, k)
                    self.assertEqual((found[0].dtype, found[1].dtype), (torch.float32, torch.int64))
                    self.assertEqual({each.device for each in found}, {queries.device})
                    wanted = cpu.search(QUERIES[:count], k)
                    self.assert_same(found, wanted)
                    self.assert_same(gpu.search(QUERIES[:count], k), wanted)

    def test_probes_are_taken(self) -> None:
        cpu, gpu = self.both(lists=64)
        queries = torch.from_numpy(QUERIES).cuda()
        for probes in (1, 30):
            found = gpu.search(queries, 10, probes=probes)
            self.assert_same(found, cpu.search(QUERIES, 10, probes=probes))

    def test_parts_of_tensors(self) -> None:
        cpu, gpu = self.both()
        wanted = cpu.search(QUERIES[300:400], 5)
        queries = torch.from_numpy(QUERIES).cuda()
        self.assert_same(gpu.search(queries[300:400], 5), wanted)
        self.assert_same(gpu.search(queries[300:400].requires_grad_(), 5), wanted)
        self.assert_same(gpu.search(torch.nn.Parameter(queries[300:400]), 5), wanted)

    def test_arrays_of_others(self) -> None:
        cpu, gpu = self.both()
        wanted = cpu.search(QUERIES, 10)
        tensor = torch.from_numpy(QUERIES).cuda()
        for protocol in ("dlpack", "interface"):
            with self.subTest(protocol):
                found = gpu.search(Foreign(tensor, protocol), 10)
                for each in found:
                    self.assertIsInstance(each, warpdex.GpuArray)
                    taken = torch.from_dlpack(each)
                    address = each.__cuda_array_interface__["data"][0]
                    self.assertEqual((taken.data_ptr(), taken.device.type), (address, "cuda"))
                    other = torch.as_tensor(each, device="cuda")
                    self.assertEqual(other.data_ptr(), address)
                    self.assertEqual(len(each), 1000)
                self.assert_same([torch.from_dlpack(each) for each in found], wanted)
        self.assert_same(map(torch.from_dlpack, gpu.search(Foreign(tensor[:0], "dlpack"), 10)),
                         cpu.search(QUERIES[:0], 10))

    def test_nothing_is_copied(self) -> None:
        _, gpu = self.both()
        queries = torch.from_numpy(np.tile(QUERIES, (100, 1))).cuda()
        address = queries.data_ptr()
        before = bits(queries)
        gpu.search(queries, 1)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
        found = gpu.search(queries, 1)
        grown = torch.cuda.max_memory_allocated() - held
        answers = sum(each.numel() * each.element_size() for each in found)
        self.assertLess(grown, answers + (1 << 20))
        self.assertLess(grown, queries.numel() * queries.element_size() // 10)
        self.assertEqual(queries.data_ptr(), address)
        self.assertEqual(bits(queries), before)
        for each in found:
            self.assertEqual(warpdex._core.gpu_of(each.data_ptr()), 0)

    def test_streams(self) -> None:
        cpu, gpu = self.both()
        wanted = cpu.search(QUERIES, 10)
        source = torch.from_numpy(QUERIES).cuda()
        for protocol in ("torch", "dlpack", "interface"):
            for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
                with self.subTest(protocol=protocol, stream=stream), torch.cuda.stream(stream):
                    queries = torch.zeros_like(source)
                    torch.cuda.synchronize()
                    torch.cuda._sleep(200_000_000)  # clock cycles: some 100 ms
                    queries.copy_(source)
                    given = queries if protocol == "torch" else Foreign(queries, protocol)
                    distances, rows = gpu.search(given, 10)
                    found = torch.from_dlpack(distances) + 0, torch.from_dlpack(rows) + 0
                    queries.zero_()
                    self.assert_same(found, wanted)

    def test_memory_that_queued_work_still_writes(self) -> None:
        cpu, gpu = self.both()
        wanted = cpu.search(QUERIES, 10)
        queries = torch.from_numpy(QUERIES).cuda()
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            junk = [torch.empty((1000, 10), dtype=each, device="cuda")
                    for each in (torch.float32, torch.int64)]
            torch.cuda._sleep(200_000_000)
            for each in junk:
                each.fill_(7)
            del junk, each
            self.assert_same(gpu.search(queries, 10), wanted)

    def test_answers_outlive_the_index(self) -> None:
        cpu, gpu = self.both()
        wanted = cpu.search(QUERIES, 10)
        tensor = torch.from_numpy(QUERIES).cuda()
        tensors = gpu.search(tensor, 10)
        taken = [torch.from_dlpack(each) for each in gpu.search(Foreign(tensor, "dlpack"), 10)]
        del gpu, tensor
        gc.collect()
        torch.full((4_000_000,), 3.0, device="cuda")
        self.assert_same(tensors, wanted)
        self.assert_same(taken, wanted)

    def test_memory_is_given_back(self) -> None:
        _, gpu = self.both()
        tensor = torch.from_numpy(QUERIES).cuda()
        for given in (tensor, Foreign(tensor, "dlpack"), Foreign(tensor, "interface")):
            gpu.search(given, 1000)
        gc.collect()
        before = used_memory(), torch.cuda.memory_allocated()
        for given in (tensor, Foreign(tensor, "dlpack"), Foreign(tensor, "interface")):
            for _ in range(50):  # 600 MB, if they were kept
                taken = [torch.from_dlpack(each) for each in gpu.search(given, 1000)]
        del taken
        gc.collect()
        self.assertLess(used_memory() - before[0], 50 << 20)
        self.assertEqual(torch.cuda.memory_allocated(), before[1])
        held = used_memory()
        del gpu
        gc.collect()
        self.assertLess(used_memory(), held)

    def test_threads(self) -> None:
        cpu, gpu = self.both(lists=64)
        wanted = cpu.search(QUERIES, 10)
        source = torch.from_numpy(QUERIES).cuda()
        torch.cuda.synchronize()
        failed: list[BaseException] = []

        def search() -> None:
            try:
                with torch.cuda.stream(torch.cuda.Stream()):
                    for _ in range(20):
                        self.assert_same(gpu.search(source * 1, 10), wanted)
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_what_cannot_be_taken(self) -> None:
        cpu, gpu = self.both()
        queries = torch.from_numpy(QUERIES).cuda()
        for wrong, said in (
            (queries.double(), "float64"), (queries.half(), "float16"), (queries.int(), "int32"),
            (queries.bfloat16(), "bfloat16"), (queries[0], "1 dimensions"),
            (queries.t().contiguous().t(), "without gaps"), (queries[:, ::2], "without gaps"),
            (queries[:, :5].contiguous(), "5 components"),
        ):
            with self.subTest(said), self.assertRaisesRegex(warpdex.UsageError, said):
                gpu.search(wrong, 3)
        with self.assertRaisesRegex(warpdex.UsageError, "20000 rows"):
            gpu.search(queries, 20_001)
        with self.assertRaisesRegex(warpdex.UsageError, "no filter"):
            gpu.search(queries, 3, filter=[1, 2])
        with self.assertRaisesRegex(warpdex.UsageError, "on the CPU"):
            cpu.search(queries, 3)
        with self.assertRaisesRegex(TypeError, "numpy array, not Tensor"):
            gpu.search(queries.cpu(), 3)
        if torch.cuda.device_count() > 1:
            with self.assertRaisesRegex(warpdex.UsageError, "GPU 1"):
                gpu.search(queries.to("cuda:1"), 3)

    def test_kinds_that_take_no_tensors(self) -> None:
        queries = torch.from_numpy(QUERIES).cuda()
        binary = Index.build(ROWS, coding="binary", device="gpu", gpu_memory="4G", progress=False)
        with self.assertRaisesRegex(warpdex.UsageError, "in GPU memory are for"):
            binary.search(queries, 3)
        names = [f"row {i}" for i in range(len(ROWS))]
        gpu = Index.build(ROWS, ids=names, device="gpu", gpu_memory="4G", progress=False)
        gpu.remove(["row 5"])
        with self.assertRaisesRegex(warpdex.UsageError, "merge it"):
            gpu.search(queries, 3)
        gpu.merge()  # with ids, rows are numbered anew
        left = Index.build(np.delete(ROWS, 5, 0), device="cpu", progress=False)
        self.assertEqual(bits(gpu.search(queries, 3)[0]), bits(left.search(QUERIES, 3)[0]))


class OtherCalls(GpuTest):
    """select_k(), kmeans(), and searches of text."""

    def test_select_k(self) -> None:
        generator = np.random.default_rng(54)
        for rows, columns in ((1, 1), (3, 1000), (20, 70_000), (0, 5)):
            values = generator.integers(-50, 50, (rows, columns)).astype(np.float32)
            values[generator.random(values.shape) < 0.1] = np.nan
            values[generator.random(values.shape) < 0.1] = -np.inf
            tensor = torch.from_numpy(values).cuda()
            for k in (1, 10, 300):
                for largest in (False, True):
                    with self.subTest(rows=rows, columns=columns, k=k, largest=largest):
                        wanted = warpdex.select_k(values, k, largest)
                        found = warpdex.select_k(tensor, k, largest)
                        self.assertEqual({each.device for each in found}, {tensor.device})
                        self.assert_same(found, wanted)
                        others = warpdex.select_k(Foreign(tensor, "dlpack"), k, largest)
                        self.assert_same(map(torch.from_dlpack, others), wanted)

    def test_select_k_follows_the_stream(self) -> None:
        values = np.random.default_rng(55).standard_normal((10, 5000), dtype=np.float32)
        wanted = warpdex.select_k(values, 20, True)
        source = torch.from_numpy(values).cuda()
        with torch.cuda.stream(torch.cuda.Stream()):
            given = torch.zeros_like(source)
            torch.cuda.synchronize()
            torch.cuda._sleep(200_000_000)
            given.copy_(source)
            self.assert_same(warpdex.select_k(given, 20, True), wanted)

    def test_kmeans(self) -> None:
        cpu = kmeans(ROWS, 40, seed=3, progress=False)
        gpu = kmeans(ROWS, 40, seed=3, device="gpu", progress=False)
        again = kmeans(ROWS, 40, seed=3, device="gpu", progress=False)
        self.assert_same(gpu[:2], again[:2])
        self.assertEqual(gpu.centroids.shape, (40, DIMENSION))
        self.assertLess(abs(gpu.objective / cpu.objective - 1), 0.01)
        nearest = Index.build(gpu.centroids, device="cpu", progress=False).search(ROWS, 1)[1][:, 0]
        self.assertGreater((nearest == gpu.labels).mean(), 0.99)

    def test_builds(self) -> None:
        for settings in KINDS:
            with self.subTest(settings=settings):
                index = Index.build(ROWS, device="gpu", gpu_memory="4G", probes=4 if "lists" in
                                    settings else 1, progress=False, **settings)
                path = self.folder / f"copy{KINDS.index(settings)}"
                index.save(path)
                cpu = Index.open(path, "cpu", probes=4 if "lists" in settings else 1)
                self.assert_same(index.search(torch.from_numpy(QUERIES).cuda(), 5),
                                 cpu.search(QUERIES, 5))

    def test_text(self) -> None:
        chance = random.Random(56)

        def words(most: int) -> str:
            return " ".join(f"w{chance.randrange(1 + chance.randrange(800))}"
                            for _ in range(1 + chance.randrange(most)))

        path = self.folder / "text"
        documents = ({"id": str(i), "contents": words(60)} for i in range(30_000))
        warpdex.build(documents, path, progress=False)
        queries = [words(6) for _ in range(2000)]
        cpu = warpdex.Searcher(path, device="cpu")
        for device in ("gpu", "auto"):
            searcher = warpdex.Searcher(path, device=device)  # type: ignore[arg-type]
            self.assertEqual((searcher.device, searcher.problem), (device, ""))
            for options in ({}, {"mode": "and"}, {"scorer": "qld"}):
                for k in (10, 1000):
                    with self.subTest(device=device, options=options, k=k):
                        found = searcher.search_batch(queries, k=k, progress=False, **options)
                        wanted = cpu.search_batch(queries, k=k, progress=False, **options)
                        self.assert_same((found.scores, found.docs, found.counts),
                                         (wanted.scores, wanted.docs, wanted.counts))
            hits = searcher.search(queries[0])
            self.assertEqual(hits.ids, cpu.search(queries[0]).ids)


if __name__ == "__main__":
    print(f"warpdex {warpdex.__version__} from {warpdex._core.__file__}", file=sys.stderr)
    unittest.main(verbosity=2)
