"""Readers of queries, judgements and vectors in the forms that collections have."""
import gzip
import json
import lzma
from collections import Counter

import numpy
from warpdex import beir

from .files import Problem


def lines(file):
    """(number, line) of a text, which may be packed."""
    opens = {".gz": gzip.open, ".xz": lzma.open}.get(file.suffix, open)
    number = 0
    try:
        with opens(file, "rt", encoding="utf-8") as opened:
            for number, line in enumerate(opened, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
        raise Problem(f"{file} cannot be read behind line {number}: {error}; fetch or unpack it "
                      "again") from None


def bad(file, number, wanted):
    return Problem(f"{file}, line {number}: not {wanted}; the file is cut short or another one")


def objects(file, *names):
    """(number, values of these members) of each line of JSON."""
    for number, line in lines(file):
        try:
            read = json.loads(line)
            yield number, *(read[name] for name in names)
        except (ValueError, KeyError, TypeError):
            raise bad(file, number, f"an object of JSON with {' and '.join(names)}") from None


def read_queries(file):
    """{id: text} of BEIR's queries.jsonl or of id<TAB>text."""
    if file.suffix == ".jsonl":
        return beir.read_queries(file.parent)
    queries = {}
    for number, line in lines(file):
        id, tab, text = line.partition("\t")
        if not tab or not id:
            raise bad(file, number, "an id and a text with a tab between them")
        queries[id] = text
    return queries


def read_qrels(file):
    """{query: {document: grade}} of BEIR's test.tsv or of TREC's four columns."""
    if file.parent.name == "qrels" and file.suffix == ".tsv":
        return beir.read_qrels(file.parent.parent, file.stem)
    qrels = {}
    for number, line in lines(file):
        try:
            query, _, document, grade = line.split()
            qrels.setdefault(query, {})[document] = int(grade)
        except ValueError:
            raise bad(file, number, "query, 0, document and grade") from None
    return qrels


def read_sparse_queries(file):
    """{id: {token: weight}} of JSONL, or of id<TAB>token token …, each as often as it weighs."""
    if ".tsv" in file.suffixes:
        return {id: dict(Counter(text.split())) for id, text in read_queries(file).items()}
    queries = {}
    for number, id, vector in objects(file, "id", "vector"):
        if not isinstance(vector, dict):
            raise bad(file, number, "a vector of tokens and weights")
        queries[str(id)] = vector
    return queries


def read_rows(file):
    """The rows of a .npy file, which stay on the disk until they are used."""
    try:
        rows = numpy.load(file, mmap_mode="r")
    except (ValueError, OSError, EOFError) as error:
        raise Problem(f"{file} is no whole .npy file: {error}; make it again") from None
    if rows.ndim != 2 or rows.dtype not in (numpy.float32, numpy.float16):
        raise Problem(f"{file} has the shape {rows.shape} of {rows.dtype}; it must be rows of "
                      "float32 or float16")
    return rows


def read_dense_queries(file, queries):
    """{id: row}: of .npy in the order of the queries, else of JSONL with qid and vector."""
    if file.suffix != ".npy":
        return {str(id): numpy.asarray(vector, numpy.float32)
                for _, id, vector in objects(file, "qid", "vector")}
    rows = read_rows(file)
    if len(rows) != len(queries):
        raise Problem(f"{file} has {len(rows):,} rows, and there are {len(queries):,} queries; the "
                      "rows are those of the file of queries, in its order")
    return dict(zip(queries, rows))


def read_ids(file, form):
    """Of all documents, in their order."""
    if form == "tsv":
        return [line.partition("\t")[0] for _, line in lines(file)]
    ids = []
    for number, line in lines(file):
        try:
            read = json.loads(line)
            ids.append(str(next(read[name] for name in ("id", "_id", "docno") if name in read)))
        except (ValueError, StopIteration, TypeError):
            raise bad(file, number, "an object of JSON with an id") from None
    return ids
