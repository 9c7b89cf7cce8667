"""Faiss's indexes as methods (own.py says what these have): on a GPU its own kernels, with all in
GPU memory; without one faiss-cpu."""
import faiss

from .own import probes_of

BLOCK = 1 << 20


class Faiss:
    system = "faiss"
    bytes_beside = False

    def __init__(self, name, arrays):
        self.name = name
        self.takes = "gpu" if arrays.is_gpu else "host"
        self._index = None

    def build(self, data):
        if self.takes == "gpu":
            import faiss.contrib.torch_utils  # noqa: F401: the indexes take tensors
            self._resources = faiss.StandardGpuResources()
        self._lists = data.shape.lists
        self._index = self.make(data)
        sample = data.arrays.floats(data.rows[:256 * self._lists])
        self._index.train(sample)
        for first in range(0, len(data.rows), BLOCK):
            self._index.add(data.arrays.floats(data.rows[first:first + BLOCK]))

    def settings(self, k):
        return [{"probes": probes} for probes in probes_of(self._lists)]

    def search(self, queries, k, setting):
        if "probes" in setting:
            self._index.nprobe = setting["probes"]
        return self._index.search(queries, k)[1]

    def close(self):
        self._index = None


class Exact(Faiss):
    def make(self, data):
        if self.takes == "host":
            return faiss.IndexFlatL2(data.shape.dimension)
        return faiss.GpuIndexFlatL2(self._resources, data.shape.dimension)

    def settings(self, k):
        return [{}]


class IvfFlat(Faiss):
    def make(self, data):
        dimension, lists = data.shape.dimension, data.shape.lists
        if self.takes == "host":
            self._coarse = faiss.IndexFlatL2(dimension)
            return faiss.IndexIVFFlat(self._coarse, dimension, lists)
        return faiss.GpuIndexIVFFlat(self._resources, dimension, lists, faiss.METRIC_L2)


class IvfPq(Faiss):
    def make(self, data):
        shape = data.shape
        if self.takes == "host":
            self._coarse = faiss.IndexFlatL2(shape.dimension)
            return faiss.IndexIVFPQ(self._coarse, shape.dimension, shape.lists, shape.code_bytes, 8)
        settings = faiss.GpuIndexIVFPQConfig()
        settings.useFloat16LookupTables = True
        return faiss.GpuIndexIVFPQ(self._resources, shape.dimension, shape.lists,
                                   min(shape.code_bytes, 96), 8, faiss.METRIC_L2, settings)


def methods(arrays):
    return [IvfFlat("ivf-flat", arrays), Exact("exact", arrays), IvfPq("ivf-pq", arrays)]
