"""Warpdex's indexes as methods.

A method has `build(data)`, `settings(k)` (what deepens the search, the least first),
`search(queries, k, setting)`, which gives row numbers, and `close()`; `takes` says where queries and
answers lie, and `bytes_beside` what of the data it reads beside its index.
"""
import shutil
import tempfile

from warpdex.vectors import Index

PROBES = (2, 8, 16, 32, 64, 128, 256, 512)
REFINED = 4  # times k, of codes


def probes_of(lists):
    """Ever more lists, up to all."""
    return sorted({min(probes, lists) for probes in PROBES})


class Own:
    bytes_beside = False

    def __init__(self, name, arrays, refined=0, lists=True, takes="gpu", **options):
        self.name = name
        self.system = "warpdex"
        self.takes = takes if arrays.is_gpu else "host"
        self._device = "gpu" if arrays.is_gpu else "cpu"
        self._refined = refined
        self._lists = lists
        self._options = options
        self._index = self._folder = None

    def build(self, data):
        """The index in a folder of the memory's file system, and open on the GPU."""
        options = {key: each(data.shape) if callable(each) else each
                   for key, each in self._options.items()}
        self._folder = tempfile.mkdtemp(prefix="warpdex-", dir=memory_folder())
        self._index = Index.build(
            data.host_rows(), self._folder + "/index", store=data.shape.store,
            lists=data.shape.lists if self._lists else 0, device=self._device,
            gpu_memory="48G" if self._device == "gpu" else 0, refine=self._refined, progress=False,
            **options)

    def settings(self, k):
        if not self._lists:
            return [{}]
        refine = {"refine": self._refined * k} if self._refined else {}
        return [{"probes": probes, **refine} for probes in probes_of(self._index.lists)]

    def search(self, queries, k, setting):
        return self._index.search(queries, k, **setting)[1]

    def close(self):
        self._index = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def memory_folder():
    """Where files are memory, if there is such a place."""
    place = "/dev/shm"
    try:
        return place if shutil.disk_usage(place).free > 40 << 30 else None
    except OSError:
        return None


def methods(arrays):
    """The most important first. Binary codes take queries from the host's memory alone."""
    def code_bytes(shape):
        return shape.code_bytes

    def own(name, **options):
        return Own(name, arrays, **options)

    return [
        own("ivf-pq refined", refined=REFINED, coding="pq", pq_bytes=code_bytes),
        own("ivf-flat"),
        own("flat", lists=False),
        own("ivf-xfbq 4 bits refined", refined=REFINED, takes="host", coding="binary", bits=4,
            rotated=True, corrected=True),
        own("ivf-xfbq 8 bits", takes="host", coding="binary", bits=8, rotated=True, corrected=True,
            keep_vectors=False),
        own("ivf-pq", coding="pq", pq_bytes=code_bytes, keep_vectors=False),
        own("ivf-sq8", takes="host", coding="sq8", keep_vectors=False),
    ]
