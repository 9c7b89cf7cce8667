"""What is said of arrays in GPU memory, and which module is loaded, where there need be no GPU."""

from __future__ import annotations

import ctypes
import gc
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import warpdex
from warpdex import _arrays, _core, _gpu_arrays
from warpdex.vectors import Index, kmeans

ROWS = np.random.default_rng(7).standard_normal((50, 8), dtype=np.float32)
CUDA, HOST, MANAGED, ROCM = 2, 1, 13, 10
FLOAT, INT, BFLOAT = 2, 0, 4


class Tensor(ctypes.Structure):
    """DLPack's DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class OnGpu:
    """Says by DLPack that it lies in GPU memory. Nobody can read what it points to."""

    def __init__(
        self, shape: Sequence[int] = (3, 8), type: tuple[int, int] = (FLOAT, 32),
        strides: Sequence[int] | None = None, device: tuple[int, int] = (CUDA, 0),
    ) -> None:
        self.device = device
        self.streams: list[Any] = []
        self.freed = 0
        self._shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        self._strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        self._deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._free)
        self._tensor = Tensor(
            data=0x1000, device_type=device[0], device_id=device[1], ndim=len(shape), code=type[0],
            bits=type[1], lanes=1, shape=ctypes.addressof(self._shape),
            strides=None if self._strides is None else ctypes.addressof(self._strides),
            deleter=ctypes.cast(self._deleter, ctypes.c_void_p),
        )

    def _free(self, tensor: int | None) -> None:
        self.freed += 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: Any = None) -> Any:
        self.streams.append(stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self._tensor), b"dltensor", None)


def by_interface(**changes: Any) -> Any:
    """The same by __cuda_array_interface__."""
    described = {"shape": (3, 8), "typestr": "<f4", "data": (0x1000, True), "version": 3}
    return SimpleNamespace(__cuda_array_interface__=described | changes)


WRONG = [
    (OnGpu(type=(FLOAT, 64)), "of type float64; .*float32"),
    (OnGpu(type=(FLOAT, 16)), "of type float16; .*float32"),
    (OnGpu(type=(BFLOAT, 16)), "of type bfloat16"),
    (OnGpu(type=(INT, 32)), "of type int32"),
    (OnGpu((8,)), "have 1 dimensions"),
    (OnGpu(()), "have 0 dimensions"),
    (OnGpu((2, 3, 8)), "have 3 dimensions"),
    (OnGpu((3, 0)), "no components"),
    (OnGpu(strides=(1, 3)), "row by row without gaps.*contiguous"),
    (OnGpu(strides=(16, 1)), "row by row without gaps"),
    (OnGpu(strides=(16, 2)), "row by row without gaps"),
    (by_interface(typestr="<f8"), "of type float64"),
    (by_interface(typestr=">f4"), "of type >f4"),
    (by_interface(shape=(8,)), "have 1 dimensions"),
    (by_interface(strides=(64, 4)), "row by row without gaps"),
    (by_interface(strides=(4, 12)), "row by row without gaps"),
    (by_interface(mask=by_interface()), "have a mask"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_arrays_of_a_wrong_kind(number: int) -> None:
    array, said = WRONG[number]
    with pytest.raises(warpdex.UsageError, match=said):
        Index.build(ROWS, device="cpu").search(array, 3)
    with pytest.raises(warpdex.UsageError, match=said):
        warpdex.select_k(array, 3)


def test_an_index_on_the_cpu() -> None:
    index = Index.build(ROWS, device="cpu")
    assert (index.device, index.gpu) == ("cpu", None)
    for array in (OnGpu(), OnGpu(device=(MANAGED, 0)), OnGpu(strides=(8, 1)), by_interface(),
                  by_interface(strides=(32, 4)), by_interface(version=2)):
        with pytest.raises(warpdex.UsageError, match="searched on the CPU; .*device='gpu'"):
            index.search(array, 3)


def test_another_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.build(ROWS, device="cpu")
    monkeypatch.setattr(index, "_index", SimpleNamespace(gpu=1, dimension=8, live_rows=50))
    with pytest.raises(warpdex.UsageError, match="memory of GPU 3, .* on GPU 1"):
        index.search(OnGpu(device=(CUDA, 3)), 3)
    if warpdex.gpu_problem():
        with pytest.raises(warpdex.UsageError, match="no GPU's memory, .* on GPU 1"):
            index.search(by_interface(), 3)


def test_sizes_and_filters() -> None:
    index = Index.build(ROWS, device="cpu")
    with pytest.raises(warpdex.UsageError, match="have 7 components, .* index have 8"):
        index.search(OnGpu((3, 7)), 3)
    with pytest.raises(warpdex.UsageError, match="k is 51, .* 50 rows"):
        index.search(OnGpu(), 51)
    for k in (0, -1):
        with pytest.raises(warpdex.UsageError, match="give 1 or more"):
            index.search(OnGpu(), k)
        with pytest.raises(warpdex.UsageError, match="give 1 or more"):
            warpdex.select_k(OnGpu(), k)
    with pytest.raises(TypeError):
        index.search(OnGpu(), "3")  # type: ignore[call-overload]
    with pytest.raises(warpdex.UsageError, match="take no filter"):
        index.search(OnGpu(), 3, filter=[1])  # type: ignore[call-overload]


def test_arrays_that_are_not_for_a_gpu() -> None:
    index = Index.build(ROWS, device="cpu")
    for array in (OnGpu(device=(HOST, 0)), OnGpu(device=(ROCM, 0)), [[1.0] * 8], "rows"):
        for call in (index.search, warpdex.select_k):
            with pytest.raises(TypeError, match="must be a numpy array, not"):
                call(array, 3)  # type: ignore[operator]
    calls: list[Any] = [Index.build, index.add, lambda x: index.range_search(x, 1.0),
                        lambda x: kmeans(x, 2), lambda x: warpdex.vectors.knn_graph(x, 2)]
    for call in calls:
        with pytest.raises(TypeError, match="OnGpu; of torch's tensors give tensor.cpu"):
            call(OnGpu())


def test_what_is_described() -> None:
    array = OnGpu((4, 6), strides=(6, 1), device=(CUDA, 5))
    rows = _gpu_arrays.gpu_rows(array, "the rows")
    assert (rows.address, rows.shape, rows.device) == (0x1000, (4, 6), 5)
    assert array.streams == [-1]  # there is no GPU 5 whose stream could wait
    assert array.freed == 0
    del rows
    gc.collect()
    assert array.freed == 1
    other = _core.DlpackArray(OnGpu((2, 3), (1, 8), (-3, 1)).__dlpack__())
    assert (other.shape, other.strides, other.dtype) == ((2, 3), (-3, 1), "uint8")
    with pytest.raises((TypeError, RuntimeError)):
        _core.DlpackArray("no capsule")


def test_tensors_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tensor(OnGpu):
        """What the package asks of a tensor."""

        device = SimpleNamespace(index=0)
        dtype = "torch.float32"
        shape = (3, 8)

        def __dlpack_device__(self) -> tuple[int, int]:
            return CUDA, 0

        def stride(self) -> tuple[int, int]:
            return 8, 1

        def data_ptr(self) -> int:
            return 0x2000

    stream = SimpleNamespace(current_stream=lambda device: SimpleNamespace(cuda_stream=77))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(Tensor=Tensor, cuda=stream))
    tensor = Tensor.__new__(Tensor)
    rows = _gpu_arrays.gpu_rows(tensor, "the rows")
    assert rows == (0x2000, (3, 8), 0, 77, tensor)
    index = Index.build(ROWS, device="cpu")
    with pytest.raises(warpdex.UsageError, match="searched on the CPU"):
        index.search(tensor, 3)
    for name, value, said in (("dtype", "torch.bfloat16", "of type bfloat16"),
                              ("shape", (24,), "have 1 dimensions"),
                              ("stride", lambda: (1, 3), "without gaps")):
        with monkeypatch.context() as patch:
            patch.setattr(tensor, name, value, raising=False)
            with pytest.raises(warpdex.UsageError, match=said):
                index.search(tensor, 3)


@pytest.mark.parametrize("dimensions", [0, 1, 2, 3])
def test_c_order_is_numpys(dimensions: int) -> None:
    generator = np.random.default_rng(dimensions)
    for _ in range(200):
        array = np.zeros(generator.integers(0, 4, dimensions), np.float32)
        array = array.transpose(generator.permutation(dimensions))
        array = array[tuple(slice(None, None, generator.integers(1, 3)) for _ in array.shape)]
        strides = tuple(each // 4 for each in array.strides)
        assert _arrays.lies_in_c_order(array.shape, strides) == array.flags.c_contiguous


def test_without_a_gpu() -> None:
    why = warpdex.gpu_problem()
    if not why:
        pytest.skip("there is a GPU")
    assert len(why) > 20
    with pytest.raises(warpdex.UsageError, match="cannot be used here"):
        warpdex.select_k(OnGpu(), 3)
    with pytest.raises(warpdex.CudaError):
        warpdex.GpuArray((2, 3), np.float32, 0)
    with pytest.raises(warpdex.CudaError):
        Index.build(ROWS, device="gpu")
    with pytest.raises(warpdex.CudaError):
        kmeans(ROWS, 3, device="gpu")


def imported(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Of a process that finds a package warpdex_cuda in the folder."""
    start = f"import sys; sys.path[:0] = [{str(folder)!r}]\n"
    return subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False
    )


def stand_in(folder: Path, version: str, core: str | None) -> None:
    """A warpdex_cuda whose module is a copy of the one that is loaded here, or such code."""
    package = folder / "warpdex_cuda"
    package.mkdir()
    (package / "__init__.py").write_text(f"__version__ = {version!r}\n", "utf-8")
    if core is None:
        loaded = Path(str(_core.__file__))
        shutil.copy(loaded, package / loaded.name)
        for libraries in loaded.parents[1].glob("warpdex*.libs"):
            (folder / libraries.name).symlink_to(libraries)
    else:
        (package / "_core.py").write_text(core, "utf-8")


def test_the_module_of_warpdex_cuda_is_loaded_alone(tmp_path: Path) -> None:
    stand_in(tmp_path, warpdex.__version__, None)
    done = imported(tmp_path, """
import warpdex, numpy as np
from warpdex import _core
from warpdex._core import Hit
assert Hit is warpdex.Hit and Hit.__module__ == "warpdex_cuda._core", Hit.__module__
index = warpdex.vectors.Index.build(np.eye(3, dtype=np.float32))
assert isinstance(index._index, _core.VectorIndex)
try: warpdex.Searcher("/nowhere")
except warpdex.IoError: pass
maps = open("/proc/self/maps").read().split()
print(*sorted({path for path in maps if "/_core." in path}))
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(next((tmp_path / "warpdex_cuda").glob("_core.*")))]


def test_versions_that_differ(tmp_path: Path) -> None:
    stand_in(tmp_path, "0.0.9", "")
    done = imported(tmp_path, "import warpdex")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ") and "pip install" in last
    assert warpdex.__version__ in last and "0.0.9" in last


def test_a_module_that_does_not_load(tmp_path: Path) -> None:
    stand_in(tmp_path, warpdex.__version__, "raise ImportError('libcuda.so.1: cannot open')")
    done = imported(tmp_path, "import warpdex\nprint(warpdex.gpu_problem())")
    assert (done.returncode, done.stderr) == (0, "")
    assert "warpdex-cuda cannot be loaded: libcuda.so.1: cannot open" in done.stdout
