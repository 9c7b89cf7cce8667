"""Indexes of vectors: exact, in lists, by codes; and k-means and k-NN graphs.

Arrays are numpy's, in C order, float32 without a copy or float16 (widened). Queries may also lie in
GPU memory (Index.search).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Floats, float_rows, positive
from ._build import Path, as_bytes, as_gpus
from ._gpu_arrays import GpuArray, answers_like, gpu_rows, is_in_gpu_memory
from ._progress import Bar
from .errors import UsageError

Rows = npt.NDArray[np.float32 | np.float16]
Ids = npt.NDArray[np.int64]


class GpuQueries(Protocol):
    """Rows of float32 in GPU memory."""

    def __dlpack_device__(self) -> Any: ...


__all__ = ["GpuArray", "Index", "Kmeans", "kmeans", "knn_graph"]


def _ids(ids: Any) -> Any:
    """Ids as the library takes them: int64, or texts."""
    if ids is None:
        return None
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        if ids.size == 0 or ids.max() < 2**63:
            return np.ascontiguousarray(ids, dtype=np.int64)
        ids = ids.tolist()
    values = list(ids)
    if not all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in values):
        return values
    try:
        return np.array([int(each) for each in values], dtype=np.int64)
    except OverflowError as error:
        raise UsageError(
            "ids that are numbers are from -2**63 to 2**63 - 1; give others as texts"
        ) from error


def _filter(rows: Any) -> Any:
    """A filter as the library takes it: a mask, or numbers of rows."""
    if rows is None:
        return None
    array = np.asarray(rows)
    if array.size == 0 and array.dtype.kind == "f":  # of an empty list
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise UsageError(
            "a filter is an array of one dimension: True or False for each row, or row numbers"
        )
    return np.ascontiguousarray(array, dtype=np.bool_ if array.dtype.kind == "b" else np.int64)


class Index:
    """An index of vectors, open for searching from any number of threads and for changes.

    Answers are the same on every device, to the bit. Row numbers, in answers and in filters, hold
    until merge() of an index with ids.
    """

    def __init__(
        self,
        path: Path,
        device: Literal["auto", "cpu", "gpu"] = "auto",
        *,
        threads: int = 0,
        probes: int = 1,
        refine: int = 0,
        query_bits: int = 0,
        gpu: int | Sequence[int] = 0,
        gpu_memory: int | str = 0,
        shards: int = 1,
    ) -> None:
        """Opens the index in the folder `path`.

        Args:
            device: "auto": the GPU, if there is a usable one.
            threads: of the CPU; 0: as many as the process may run on.
            gpu: with device="gpu": its number, or those of several that share the vectors and the
                queries; one may be there more than once.
            gpu_memory: with device="gpu": what may be taken of the memory of each, in bytes or as
                "20G"; 0: 90 % of what is free.
            shards: parts into which several GPUs cut the vectors. Each `shards` of them hold all
                vectors, and these replicas share out the queries.
            probes: lists that a query looks into, 1 to `lists`.
            refine: of codes: how many of the nearest are ranked again by their vectors.
            query_bits: of binary codes: of a query's component, 1 to 8; 0: as the codes, or 4.

        Raises:
            IoError: there is no index.
            FormatError: it is damaged.
            UsageError: a depth out of range.
            CudaError: device="gpu" finds no usable GPU.
        """
        self._arguments = (
            os.path.abspath(os.fspath(path)), device, threads, gpu, gpu_memory, shards
        )
        self._depth = (probes, refine, query_bits)
        self._changing = threading.Lock()
        self._index = _core.VectorIndex(
            self._arguments[0],
            device,
            as_gpus(gpu),
            as_bytes(gpu_memory),
            shards,
            threads,
            _core.VectorDepth(*self._depth),
        )

    @classmethod
    def open(
        cls,
        path: Path,
        device: Literal["auto", "cpu", "gpu"] = "auto",
        *,
        threads: int = 0,
        probes: int = 1,
        refine: int = 0,
        query_bits: int = 0,
        gpu: int | Sequence[int] = 0,
        gpu_memory: int | str = 0,
        shards: int = 1,
    ) -> Index:
        """The same as Index()."""
        return cls(
            path,
            device,
            threads=threads,
            probes=probes,
            refine=refine,
            query_bits=query_bits,
            gpu=gpu,
            gpu_memory=gpu_memory,
            shards=shards,
        )

    @classmethod
    def build(
        cls,
        rows: Rows,
        path: Path | None = None,
        *,
        metric: Literal["l2", "ip", "cosine"] = "l2",
        lists: int | Literal["auto"] = 0,
        coding: Literal["rows", "pq", "binary", "sq8"] = "rows",
        ids: Sequence[str] | Sequence[int] | Ids | None = None,
        store: Literal["float", "half"] = "float",
        pq_bytes: int = 0,
        bits: int = 4,
        rotated: bool = False,
        rotated_dimension: int = 0,
        corrected: bool = False,
        keep_vectors: bool = True,
        seed: int = 1,
        device: Literal["auto", "cpu", "gpu"] = "auto",
        threads: int = 0,
        probes: int = 1,
        refine: int = 0,
        gpu: int = 0,
        gpu_memory: int | str = 0,
        progress: bool = True,
    ) -> Index:
        """Makes an index of the rows (vectors x components) and opens it.

        Args:
            path: its folder; None: a temporary one, which goes with the object (see save()).
            metric: "l2" (squared Euclidean; smaller is nearer), "ip" or "cosine" (larger is).
            lists: of an inverted file, whose queries probe the nearest ones; "auto": 4 times the
                square root of the number of rows; 0: all rows are compared.
            coding: what rows are compared by: themselves ("rows"), codes of a product quantizer
                ("pq"; needs lists), codes of a few bits a component ("binary"), or of a byte
                ("sq8").
            ids: one a row, ints or texts, each once; without them rows have their numbers.
            store: what is kept of rows: "float" or "half".
            pq_bytes: of a code; 0: a byte for each 4 coded components.
            bits: "binary": of a component's code, 1 to 8.
            rotated: codes: rotate first, so that they lose less.
            rotated_dimension: "pq": rotate to that many components, pq_bytes to as many as rows
                have, and make codes of these; 0: to all, if rotated.
            corrected: "binary": 8 bytes a row make distances right on average.
            keep_vectors: codes: keep the rows beside them, so that answers can be refined.
            seed: of the training.
            device, threads, probes, refine, gpu, gpu_memory: as Index(), for the build and for
                the searches.
            progress: show a bar, where tqdm is installed and standard error is a terminal.

        Raises:
            UsageError: settings out of range; an array of another type, shape or order.
            InputError: a NaN or an infinite component, an id that is there twice.
            IoError: the folder cannot be written.
        """
        made = float_rows(rows, "the rows")
        options = {
            "metric": metric,
            "lists": lists,
            "coding": coding,
            "store": store,
            "pq_bytes": pq_bytes,
            "bits": bits,
            "rotated": rotated,
            "rotated_dimension": rotated_dimension,
            "corrected": corrected,
            "keep_vectors": keep_vectors,
            "seed": seed,
        }
        temporary = tempfile.mkdtemp(prefix="warpdex-") if path is None else None
        folder = os.fspath(path) if path is not None else os.path.join(str(temporary), "index")
        try:
            with Bar(progress, "rows") as bar:
                _core.build_vectors(
                    folder,
                    made,
                    _ids(ids),
                    device,
                    gpu,
                    as_bytes(gpu_memory),
                    threads,
                    bar.show_part,
                    options,
                )
            index = cls(
                folder,
                device,
                threads=threads,
                probes=probes,
                refine=refine,
                gpu=gpu,
                gpu_memory=gpu_memory,
            )
        except BaseException:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
            raise
        if temporary is not None:
            owner = os.getpid()
            weakref.finalize(index, _remove, temporary, owner)
        return index

    def save(self, path: Path) -> None:
        """Copies the index to the folder `path`, which must not exist."""
        target = os.fspath(path)
        if os.path.lexists(target):
            raise UsageError(f"{target!r} is there already; name a new folder, or remove it")
        beside = os.path.dirname(os.path.abspath(target))
        part = tempfile.mkdtemp(prefix=os.path.basename(target) + ".", dir=beside)
        try:
            with self._changing:
                shutil.copytree(self._arguments[0], os.path.join(part, "index"))
            os.rename(os.path.join(part, "index"), target)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def __reduce__(self) -> tuple[Any, ...]:
        path, *options = self._arguments
        return _open_again, (path, *options, *self._depth)

    def __repr__(self) -> str:
        return f"Index({self.live_rows} x {self.dimension}, {self.metric}, lists={self.lists})"

    def _take_depth(self, probes: int | None, refine: int | None) -> None:
        wanted = (
            self._depth[0] if probes is None else probes,
            self._depth[1] if refine is None else refine,
            self._depth[2],
        )
        if wanted == self._depth:
            return
        with self._changing:
            self._index.set_depth(_core.VectorDepth(*wanted))
            self._depth = wanted

    @overload
    def search(
        self,
        x: Rows,
        k: int,
        *,
        probes: int | None = None,
        refine: int | None = None,
        filter: Any = None,
    ) -> tuple[Floats, Ids]: ...

    @overload
    def search(
        self, x: GpuQueries, k: int, *, probes: int | None = None, refine: int | None = None
    ) -> tuple[Any, Any]: ...

    def search(
        self,
        x: Any,
        k: int,
        *,
        probes: int | None = None,
        refine: int | None = None,
        filter: Any = None,
    ) -> tuple[Any, Any]:
        """The k nearest rows of each query.

        Queries may also lie in GPU memory: float32, in C order, of torch, CuPy, JAX or whatever has
        `__dlpack__` or `__cuda_array_interface__`, where the index is searched on that GPU and is
        one segment of rows, or of codes of a product quantizer, none of them removed; refined, if
        their rows fit into its memory.
        Nothing is copied to the host; torch gets tensors, others get `GpuArray`. The search follows
        what is queued in the caller's current stream, and the answers are there when it returns. A
        query that is not finite has distances that are not finite either.

        Args:
            x: queries x components.
            k: 1 or more; of queries in GPU memory at most `live_rows`.
            probes, refine: from now on, for all who use the index; None: as they are. The first
                `refine` uploads the index anew.
            filter: of numpy's queries: rows that may be answers, as a mask of `rows` truth values
                or as row numbers.

        Returns:
            D, I: distances (float32) and row numbers (int64), queries x k, nearest first, ties to
            the smaller number; behind the last -1 and the worst distance.

        Raises:
            UsageError: sizes that do not fit, an array of another type, shape or order; queries in
                the memory of a GPU that does not search the index.
            InputError: a NaN or an infinite component of numpy's queries.
        """
        if is_in_gpu_memory(x):
            if filter is not None:
                raise UsageError("queries in GPU memory take no filter; give them as a numpy array")
            return self._search_on_gpu(x, positive(k, "k"), probes, refine)
        rows = float_rows(x, "the queries")
        self._take_depth(probes, refine)
        return self._index.search(rows, positive(k, "k"), _filter(filter))

    def _search_on_gpu(
        self, x: Any, k: int, probes: int | None, refine: int | None
    ) -> tuple[Any, Any]:
        queries = gpu_rows(x, "the queries")
        count, components = queries.shape
        if components != self.dimension:
            raise UsageError(
                f"the queries have {components} components, and the rows of the index have "
                f"{self.dimension}"
            )
        if k > self.live_rows:
            raise UsageError(
                f"k is {k}, and the index has {self.live_rows} rows; queries in GPU memory take no "
                "more, numpy arrays do"
            )
        if self._index.gpu is None:
            raise UsageError(
                "the queries lie in GPU memory, and the index is searched on the CPU; open it with "
                "device='gpu' (warpdex.gpu_problem() says why it may not be), or give a numpy array"
            )
        if queries.device != self._index.gpu:
            where = f"memory of GPU {queries.device}" if queries.device >= 0 else "no GPU's memory"
            raise UsageError(
                f"the queries lie in {where}, and the index is searched on GPU {self._index.gpu}; "
                f"open it with device='gpu', gpu=..., or move them"
            )
        self._take_depth(probes, refine)
        answers = answers_like(x, (count, k), queries.device)
        queries.wait()
        self._index.search_on_gpu(queries.address, count, k, *answers.addresses)
        return answers.floats, answers.numbers

    def range_search(
        self, x: Rows, radius: float, *, filter: Any = None
    ) -> tuple[Ids, Floats, Ids]:
        """All rows within a radius of each query; of "ip" and "cosine" at least as near.

        Returns:
            lims, D, I: the answers of query q are D[lims[q]:lims[q + 1]] and I[...].
        """
        return self._index.range_search(float_rows(x, "the queries"), radius, _filter(filter))

    def knn_graph(self, k: int, *, progress: bool = True) -> tuple[Floats, Ids]:
        """D, I: for each row its k nearest other rows, as exact as the search; rows x k each."""
        with Bar(progress, "rows") as bar:
            return self._index.knn_graph(positive(k, "k"), bar.show_part)

    def add(
        self,
        rows: Rows,
        ids: Sequence[str] | Sequence[int] | Ids | None = None,
        *,
        replace: bool = False,
    ) -> int:
        """Adds rows in one commit, and returns its number. With ids, if the index has some: those
        that it has are replaced, or an InputError. Nothing is trained anew."""
        return self._index.add(float_rows(rows, "the rows"), _ids(ids), replace)

    def remove(self, ids: Sequence[str] | Sequence[int] | Ids) -> int:
        """Removes rows by their ids, or by their numbers where there are none, and returns the
        commit's number. InputError for one that is not there; nothing is removed then."""
        return self._index.remove(_ids(ids))

    def merge(self) -> int:
        """Joins all segments, without removed rows, and returns the commit's number."""
        return self._index.merge()

    def refresh(self) -> bool:
        """Takes the last commit of another process, and says whether there was one."""
        return self._index.refresh()

    def ids(self, rows: Any) -> list[str | None]:
        """The ids of rows as texts (numbers where there are no ids); None for -1."""
        return self._index.ids(np.ascontiguousarray(rows, dtype=np.int64).reshape(-1))

    @property
    def dimension(self) -> int:
        """Components of a row."""
        return self._index.dimension

    @property
    def metric(self) -> str:
        """"l2", "ip" or "cosine"."""
        return self._index.metric

    @property
    def rows(self) -> int:
        """Row numbers are below it."""
        return self._index.rows

    @property
    def live_rows(self) -> int:
        """Rows that were not removed."""
        return self._index.live_rows

    def __len__(self) -> int:
        return self.live_rows

    @property
    def lists(self) -> int:
        """0 where there are none."""
        return self._index.lists

    @property
    def commit(self) -> int:
        """How often the index was changed since it was built."""
        return self._index.commit

    @property
    def device(self) -> str:
        """Where it is searched: "cpu" or "gpu"."""
        return "cpu" if self._index.gpu is None else "gpu"

    @property
    def gpu(self) -> int | None:
        """The number of the GPU that searches, or of the first one; None where the CPU does."""
        return self._index.gpu


def _open_again(
    path: str,
    device: Any,
    threads: int,
    gpu: int | Sequence[int],
    gpu_memory: int | str,
    shards: int,
    *depth: int,
) -> Index:
    return Index(
        path,
        device,
        threads=threads,
        probes=depth[0],
        refine=depth[1],
        query_bits=depth[2],
        gpu=gpu,
        gpu_memory=gpu_memory,
        shards=shards,
    )


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


class Kmeans(NamedTuple):
    """Clusters of points."""

    centroids: Floats
    """clusters x components"""
    labels: npt.NDArray[np.uint32]
    """The nearest centroid of each point, ties to the smaller number."""
    objective: float
    """Sum of squared distances to the centroids."""
    iterations: int
    """That were made."""


def kmeans(
    points: Rows,
    clusters: int,
    *,
    iterations: int = 20,
    spherical: bool = False,
    balanced: bool = False,
    seed: int = 1,
    device: Literal["cpu", "gpu"] = "cpu",
    gpu: int = 0,
    threads: int = 0,
    progress: bool = True,
) -> Kmeans:
    """Clusters of points (points x components), by Lloyd's iterations. The same bits for any number
    of threads; a GPU's may differ from the CPU's.

    Args:
        clusters: 1 to the number of points.
        iterations: at most; ends early once no point changes its cluster.
        spherical: only directions count: points are scaled to length 1.
        balanced: clusters of more even sizes.
        device, gpu: the CPU, or the GPU of that number.

    Raises:
        UsageError: a number of clusters that is 0 or above the number of points.
        InputError: a NaN or an infinite component.
    """
    with Bar(progress, "iterations", iterations) as bar:
        found = _core.kmeans(
            float_rows(points, "the points"), clusters, iterations, spherical, balanced, seed,
            device, gpu, threads, lambda number, objective: bar.add(1),
        )
    return Kmeans(*found)


def knn_graph(
    rows: Rows,
    k: int,
    *,
    metric: Literal["l2", "ip", "cosine"] = "l2",
    threads: int = 0,
    progress: bool = True,
) -> tuple[Floats, Ids]:
    """D, I: for each row its k nearest other rows, exactly; rows x k each."""
    index = Index.build(rows, metric=metric, threads=threads, progress=False)
    return index.knn_graph(k, progress=progress)
