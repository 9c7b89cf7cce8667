"""Files of vectors around 1,000 centres, and their checksums. Chunks are drawn side by side."""
import hashlib
import itertools
import os
from concurrent.futures import ThreadPoolExecutor

CHUNK = 100_000  # rows
CENTRES = 1000
SUFFIX = {"float": ".fbin", "half": ".npy", "byte": ".u8bin"}


def draw(kind, dimension, seed, chunk, rows):
    """Rows of a chunk. The centres are the same for all seeds. Bytes lie evenly around theirs."""
    import numpy

    of_centres = numpy.random.default_rng(1)
    random = numpy.random.default_rng([seed, chunk])
    which = random.integers(CENTRES, size=rows)
    if kind == "byte":
        centres = of_centres.integers(192, size=(CENTRES, dimension), dtype=numpy.uint8)
        return random.integers(64, size=(rows, dimension), dtype=numpy.uint8) + centres[which]
    centres = of_centres.standard_normal((CENTRES, dimension), dtype=numpy.float32)
    drawn = random.standard_normal((rows, dimension), dtype=numpy.float32)
    drawn *= numpy.float32(0.5)
    drawn += centres[which]
    return drawn.astype(numpy.float16) if kind == "half" else drawn


def write_header(file, kind, rows, dimension):
    import numpy

    if kind == "half":
        numpy.lib.format.write_array_header_1_0(
            file, {"descr": "<f2", "fortran_order": False, "shape": (rows, dimension)})
    else:
        numpy.array([rows, dimension], dtype=numpy.int32).tofile(file)


def write_vectors(folder, name, kind, rows, dimension, seed):
    """The path of a file that is whole; one that is there is taken as it is."""
    path = folder / (name + SUFFIX[kind])
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    beside = path.with_name("new-" + path.name)
    threads = os.cpu_count() or 1
    with open(beside, "wb") as file, ThreadPoolExecutor(threads) as pool:
        write_header(file, kind, rows, dimension)
        sizes = [min(CHUNK, rows - first) for first in range(0, rows, CHUNK)]
        numbered = enumerate(sizes)
        while some := list(itertools.islice(numbered, threads)):
            for chunk in pool.map(lambda one: draw(kind, dimension, seed, *one), some):
                chunk.tofile(file)
    beside.rename(path)
    return path


def checksum(*paths):
    """Of the bytes of files."""
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
