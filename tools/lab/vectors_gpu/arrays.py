"""What the measurement asks of arrays: torch's in GPU memory, or numpy's without a GPU."""
import numpy


class Host:
    """numpy's arrays."""
    is_gpu = False

    def __init__(self, seed):
        self._random = numpy.random.default_rng(seed)

    def normal(self, *shape):
        return self._random.standard_normal(shape, dtype=numpy.float32)

    def uniform(self, count):
        return self._random.random(count, dtype=numpy.float32)

    def numbers(self, below, count):
        return self._random.integers(0, below, count)

    def order(self, count):
        return self._random.permutation(count)

    def orthogonal(self, dimension):
        """A random rotation."""
        matrix, _ = numpy.linalg.qr(self._random.standard_normal((dimension, dimension)))
        return matrix.astype(numpy.float32)

    def empty(self, rows, columns, store="float"):
        return numpy.empty((rows, columns), numpy.float16 if store == "half" else numpy.float32)

    def take(self, array):
        return array.astype(numpy.float32)

    def beside(self, parts):
        return numpy.concatenate(parts, axis=1)

    def whole(self, array):
        return array.astype(numpy.int64)

    def floats(self, array):
        return array.astype(numpy.float32)

    def to_host(self, array):
        return numpy.ascontiguousarray(array)

    def smallest(self, values, k):
        """The k smallest of each row, and their columns, in any order."""
        columns = numpy.argpartition(values, k - 1, axis=1)[:, :k]
        return numpy.take_along_axis(values, columns, 1), columns

    def picked(self, array, columns):
        return numpy.take_along_axis(array, columns, 1)

    def exact(self, rows, queries, candidates):
        """Squared distances in double precision: queries x candidates."""
        apart = rows[candidates].astype(numpy.float64) - queries[:, None].astype(numpy.float64)
        return (apart * apart).sum(2)

    def synchronize(self):
        pass

    def used(self):
        """Bytes of GPU memory in use."""
        return 0

    def clear(self):
        pass


class Gpu:
    """torch's tensors. The same methods."""
    is_gpu = True

    def __init__(self, seed):
        import torch
        self.torch = torch
        self._random = torch.Generator(device="cuda").manual_seed(seed)
        self._made = {"generator": self._random, "device": "cuda"}
        torch.set_float32_matmul_precision("highest")

    def normal(self, *shape):
        return self.torch.randn(*shape, **self._made)

    def uniform(self, count):
        return self.torch.rand(count, **self._made)

    def numbers(self, below, count):
        return self.torch.randint(below, (count,), **self._made)

    def order(self, count):
        return self.torch.randperm(count, **self._made)

    def orthogonal(self, dimension):
        matrix = self.torch.randn(dimension, dimension, dtype=self.torch.float64, **self._made)
        return self.torch.linalg.qr(matrix)[0].float()

    def empty(self, rows, columns, store="float"):
        kind = self.torch.float16 if store == "half" else self.torch.float32
        return self.torch.empty(rows, columns, dtype=kind, device="cuda")

    def take(self, array):
        return self.torch.from_numpy(numpy.ascontiguousarray(array)).cuda().float()

    def beside(self, parts):
        return self.torch.cat(parts, 1)

    def whole(self, array):
        return array.long()

    def floats(self, array):
        return array.float()

    def to_host(self, array):
        return array.cpu().numpy()

    def smallest(self, values, k):
        return values.topk(k, 1, largest=False, sorted=False)

    def picked(self, array, columns):
        return array.gather(1, columns)

    def exact(self, rows, queries, candidates):
        apart = rows[candidates].double() - queries[:, None].double()
        return (apart * apart).sum(2)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def used(self):
        free, total = self.torch.cuda.mem_get_info()
        return total - free - self.torch.cuda.memory_reserved()

    def clear(self):
        self.torch.cuda.synchronize()
        self.torch.cuda.empty_cache()
