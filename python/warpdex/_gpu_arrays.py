"""Arrays in GPU memory: what is taken, what is said of the rest, and what answers lie in."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import Shape, lies_in_c_order
from .errors import UsageError

_CUDA = (2, 13)  # DLPack's numbers of CUDA's memory and of its managed memory


def is_in_gpu_memory(array: Any) -> bool:
    """Whether the array says that CUDA's memory holds it."""
    if isinstance(array, np.ndarray):
        return False
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] in _CUDA
    return hasattr(array, "__cuda_array_interface__")


class GpuRows(NamedTuple):
    """Rows of float32 in GPU memory, which may be read once `wait()` has returned."""

    address: int
    shape: Shape
    device: int
    stream: int | None
    """CUDA's stream whose work is waited for; None: of none."""
    owner: Any

    def wait(self) -> None:
        """Waits until the work that was queued for the rows has ended."""
        if self.stream is not None:
            _core.wait_for_stream(self.stream, self.device)


class _Described(NamedTuple):
    address: int
    shape: Shape
    strides: Shape
    """In numbers, not bytes."""
    dtype: str
    device: int
    stream: int | None
    owner: Any


def gpu_rows(array: Any, what: str) -> GpuRows:
    """The rows that the array holds. Raises UsageError for another type, shape or order."""
    if (torch := _torch_of(array)) is not None:
        found = _by_torch(torch, array)
    elif hasattr(array, "__dlpack__"):
        found = _by_dlpack(array)
    else:
        found = _by_interface(array, what)
    if len(found.shape) != 2:
        raise UsageError(f"{what} have {len(found.shape)} dimensions; give an array of 2")
    if found.dtype != "float32":
        raise UsageError(
            f"{what} are of type {found.dtype}; in GPU memory give float32, by array.float() of "
            "torch or array.astype('float32') of others say"
        )
    if not lies_in_c_order(found.shape, found.strides):
        raise UsageError(
            f"{what} do not lie row by row without gaps; give array.contiguous() of torch, or "
            "ascontiguousarray(array) of CuPy"
        )
    if found.shape[1] == 0:
        raise UsageError(f"{what} have no components; give at least one column")
    return GpuRows(found.address, found.shape, found.device, found.stream, found.owner)


def _by_torch(torch: Any, array: Any) -> _Described:
    """What DLPack says of a tensor, without its capsules and events."""
    device = array.device.index
    return _Described(
        array.data_ptr(),
        tuple(array.shape),
        array.stride(),
        str(array.dtype).removeprefix("torch."),
        device,
        torch.cuda.current_stream(device).cuda_stream,
        array,
    )


def _by_dlpack(array: Any) -> _Described:
    device = int(array.__dlpack_device__()[1])
    stream = _core.gpu_stream(device)  # waits for what the array's owner has queued
    described = _core.DlpackArray(array.__dlpack__(stream=stream))
    return _Described(
        described.address,
        described.shape,
        described.strides,
        described.dtype,
        device,
        stream,
        described,
    )


def _by_interface(array: Any, what: str) -> _Described:
    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise UsageError(f"{what} have a mask; give an array without one")
    dtype = np.dtype(interface["typestr"])
    shape = tuple(int(size) for size in interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        in_numbers = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
    else:
        in_numbers = tuple(int(stride) // dtype.itemsize for stride in strides)
    address = int(interface["data"][0])
    # Before version 3 no stream was told of; work is then that of the default one.
    stream = interface.get("stream") if interface["version"] >= 3 else 1
    return _Described(
        address, shape, in_numbers, str(dtype), _core.gpu_of(address), stream, array
    )


def _torch_of(array: Any) -> Any:
    """The module torch, where the array is a tensor of it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else None


class GpuArray:
    """An answer in GPU memory, in C order. torch, CuPy and JAX take it by their from_dlpack(),
    others by __cuda_array_interface__, without a copy. It is complete: no stream need be waited
    for. Its memory is freed with the last object that uses it."""

    def __init__(self, shape: Shape, dtype: type[np.float32] | type[np.int64], device: int) -> None:
        """Memory on that GPU, of any content."""
        self._shape = shape
        self._dtype = np.dtype(dtype)
        self._device = device
        self._buffer = _core.GpuBuffer(int(np.prod(shape)) * self._dtype.itemsize, device)

    @property
    def shape(self) -> Shape:
        """Queries, and answers to one."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or int64."""
        return self._dtype

    @property
    def device(self) -> int:
        """The GPU's number."""
        return self._device

    def __len__(self) -> int:
        return self._shape[0]

    def __repr__(self) -> str:
        return f"GpuArray(shape={self._shape}, dtype={self._dtype}, device={self._device})"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self._shape,
            "typestr": self._dtype.str,
            "data": (self._buffer.address, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA[0], self._device

    def __dlpack__(self, **options: Any) -> Any:
        make = _core.GpuBuffer.floats if self._dtype == np.float32 else _core.GpuBuffer.numbers
        return make(self._buffer, self._shape).__dlpack__(**options)


class Answers(NamedTuple):
    """Two arrays in GPU memory, of floats and of whole numbers, and their addresses."""

    floats: Any
    numbers: Any
    addresses: tuple[int, int]


def answers_like(array: Any, shape: Shape, device: int) -> Answers:
    """Tensors of torch if the array is one, else GpuArrays. `GpuRows.wait()` must come after it:
    work that is queued in torch's stream may still use memory which torch gives out again."""
    torch = _torch_of(array)
    if torch is None:
        floats = GpuArray(shape, np.float32, device)
        numbers = GpuArray(shape, np.int64, device)
        return Answers(floats, numbers, (floats._buffer.address, numbers._buffer.address))
    floats = torch.empty(shape, dtype=torch.float32, device=array.device)
    numbers = torch.empty(shape, dtype=torch.int64, device=array.device)
    return Answers(floats, numbers, (floats.data_ptr(), numbers.data_ptr()))


def select_k(values: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """warpdex.select_k() of values in GPU memory."""
    rows = gpu_rows(values, "the values")
    if rows.device < 0 or _core.gpu_stream(rows.device) == -1:
        raise UsageError(
            "the values lie in the memory of a GPU that cannot be used here (gpu_problem() may say "
            "why); give a numpy array"
        )
    count, columns = rows.shape
    answers = answers_like(values, (count, k), rows.device)
    rows.wait()
    if count > 0:
        _core.select_k_on_gpu(
            rows.address, count, columns, k, largest, rows.device, *answers.addresses
        )
    return answers.floats, answers.numbers
