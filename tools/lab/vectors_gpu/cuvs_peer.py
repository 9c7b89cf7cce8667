"""cuVS's indexes as methods (own.py says what these have), with vectors, queries and answers in GPU
memory. IVF-RaBitQ, which has no Python interface in 26.10, comes through rabitq.cpp."""
import ctypes
import os

from .own import REFINED, probes_of

POOL = 8 << 30  # cuVS asks RMM for every temporary: it gets a pool, as in its own benchmarks
BEAMS = (16, 32, 64, 128, 256, 512)


class Cuvs:
    """What its indexes have in common."""
    system = "cuvs"
    takes = "gpu"
    bytes_beside = False

    def __init__(self, name, library):
        self.name = name
        self._library = library
        self._index = None

    def build(self, data):
        self._lists = data.shape.lists
        self._rows = data.rows
        self._index = self.make(data)
        self._library.resources.sync()

    def fraction(self, data):
        """Of the vectors that lists are trained on: 256 a list, as Warpdex's."""
        return min(1.0, 256 * data.shape.lists / data.shape.rows)

    def settings(self, k):
        return [{"probes": probes} for probes in probes_of(self._lists)]

    def search(self, queries, k, setting):
        import torch
        numbers = torch.empty(len(queries), k, dtype=torch.int64, device="cuda")
        distances = torch.empty(len(queries), k, device="cuda")
        queries = queries.to(self._rows.dtype)
        torch.cuda.current_stream().synchronize()  # cuVS has a stream of its own
        self.find(queries, k, setting, numbers, distances)
        self._library.resources.sync()
        return numbers

    def close(self):
        self._index = self._rows = None


class Exact(Cuvs):
    bytes_beside = True

    def make(self, data):
        from cuvs.neighbors import brute_force
        return brute_force.build(data.rows, metric="sqeuclidean", resources=self._library.resources)

    def settings(self, k):
        return [{}]

    def find(self, queries, k, setting, numbers, distances):
        from cuvs.neighbors import brute_force
        brute_force.search(self._index, queries, k, neighbors=numbers, distances=distances,
                           resources=self._library.resources)


class IvfFlat(Cuvs):
    def make(self, data):
        from cuvs.neighbors import ivf_flat
        params = ivf_flat.IndexParams(n_lists=data.shape.lists, metric="sqeuclidean",
                                      kmeans_trainset_fraction=self.fraction(data))
        return ivf_flat.build(params, data.rows, resources=self._library.resources)

    def find(self, queries, k, setting, numbers, distances):
        from cuvs.neighbors import ivf_flat
        ivf_flat.search(ivf_flat.SearchParams(n_probes=setting["probes"]), self._index, queries, k,
                        neighbors=numbers, distances=distances, resources=self._library.resources)


class IvfPq(Cuvs):
    """Its refine() takes some 14 us a query, however few candidates there are (26.10)."""

    def __init__(self, name, library, refined):
        super().__init__(name, library)
        self._refined = refined
        self.bytes_beside = refined > 0

    def make(self, data):
        from cuvs.neighbors import ivf_pq
        params = ivf_pq.IndexParams(n_lists=data.shape.lists, metric="sqeuclidean", pq_bits=8,
                                    pq_dim=data.shape.code_bytes,
                                    kmeans_trainset_fraction=self.fraction(data))
        return ivf_pq.build(params, data.rows, resources=self._library.resources)

    def settings(self, k):
        refine = {"refine": self._refined * k} if self._refined else {}
        return [{**one, **refine} for one in super().settings(k)]

    def find(self, queries, k, setting, numbers, distances):
        import numpy
        import torch
        from cuvs.neighbors import ivf_pq, refine
        params = ivf_pq.SearchParams(n_probes=setting["probes"], lut_dtype=numpy.float16,
                                     internal_distance_dtype=numpy.float32)
        if not self._refined:
            ivf_pq.search(params, self._index, queries, k, neighbors=numbers, distances=distances,
                          resources=self._library.resources)
            return
        many = setting["refine"]
        candidates = torch.empty(len(queries), many, dtype=torch.int64, device="cuda")
        ivf_pq.search(params, self._index, queries, many, neighbors=candidates,
                      distances=torch.empty(len(queries), many, device="cuda"),
                      resources=self._library.resources)
        refine(self._rows, queries, candidates, k=k, metric="sqeuclidean", indices=numbers,
               distances=distances, resources=self._library.resources)


class Cagra(Cuvs):
    bytes_beside = True

    def make(self, data):
        from cuvs.neighbors import cagra
        params = cagra.IndexParams(metric="sqeuclidean", build_algo="nn_descent", graph_degree=32,
                                   intermediate_graph_degree=64)
        return cagra.build(params, data.rows, resources=self._library.resources)

    def settings(self, k):
        return [{"beam": beam} for beam in BEAMS if beam >= k]

    def find(self, queries, k, setting, numbers, distances):
        import torch
        from cuvs.neighbors import cagra
        narrow = torch.empty(len(queries), k, dtype=torch.uint32, device="cuda")
        cagra.search(cagra.SearchParams(itopk_size=setting["beam"]), self._index, queries, k,
                     neighbors=narrow, distances=distances, resources=self._library.resources)
        self._library.resources.sync()
        numbers.copy_(narrow.view(torch.int32))


class Rabitq(Cuvs):
    """By cuVS's default mode of searching: queries in 4 bits; with 8 bits a component in 8."""

    def __init__(self, name, library, bits):
        super().__init__(name, library)
        self._bits = bits
        self._mode = 3 if bits > 4 else 2
        self._c = library.rabitq

    def build(self, data):
        self._lists = data.shape.lists
        self._rows = data.rows.float()
        self._library.torch.cuda.synchronize()
        self._index = self._c.rabitq_build(
            ctypes.c_void_p(self._rows.data_ptr()), len(self._rows), self._rows.shape[1],
            self._lists, self._bits, 256)
        self._rows = self._rows[:1].clone()
        if not self._index:
            raise RuntimeError(self._c.rabitq_error().decode())

    def find(self, queries, k, setting, numbers, distances):
        address = [ctypes.c_void_p(each.data_ptr()) for each in (queries, numbers, distances)]
        if self._c.rabitq_search(ctypes.c_void_p(self._index), address[0], *queries.shape, k,
                                 setting["probes"], self._mode, *address[1:]):
            raise RuntimeError(self._c.rabitq_error().decode())

    def close(self):
        if self._index:
            self._c.rabitq_free(ctypes.c_void_p(self._index))
        super().close()


class Library:
    """cuVS with a pool of memory."""

    def __init__(self, rabitq):
        import cuvs
        import rmm
        import torch
        from cuvs.common import Resources
        self.torch = torch
        self.version = cuvs.__version__
        self._pool = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=POOL)
        self._counted = rmm.mr.StatisticsResourceAdaptor(self._pool)
        rmm.mr.set_current_device_resource(self._counted)
        self.resources = Resources()
        self.rabitq = ctypes.CDLL(rabitq) if rabitq and os.path.exists(rabitq) else None
        if self.rabitq:
            c = self.rabitq
            c.rabitq_error.restype = ctypes.c_char_p
            c.rabitq_build.restype = ctypes.c_void_p
            whole, unsigned, pointer = ctypes.c_int64, ctypes.c_uint32, ctypes.c_void_p
            c.rabitq_build.argtypes = [pointer, whole, whole, unsigned, unsigned, unsigned]
            c.rabitq_search.argtypes = [pointer, pointer, whole, whole, whole, unsigned,
                                        ctypes.c_int, pointer, pointer]

    def used(self, all_used):
        """What of the GPU's memory in use is not the pool's, and what of the pool is in use."""
        return all_used - self._pool.pool_size() + self._counted.allocation_counts.current_bytes


def methods(library):
    """The most important first."""
    made = [IvfPq("ivf-pq refined", library, REFINED), Cagra("cagra", library)]
    if library.rabitq:
        made[:0] = [Rabitq("ivf-rabitq 4 bits", library, 4), Rabitq("ivf-rabitq 8 bits", library, 8)]
    return made + [IvfFlat("ivf-flat", library), Exact("exact", library),
                   IvfPq("ivf-pq", library, 0)]
