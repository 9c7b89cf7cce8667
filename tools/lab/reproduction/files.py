"""Whether the files of a run are there and whole, and what to do about those that are not."""
import hashlib
import sys
import time

from .collections import BEIR, PUBLISHED

CHUNK = 1 << 24


class Problem(Exception):
    """A sentence for the user, which says what to do."""


def note(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def origin(collection, path):
    """Where a file comes from, in words."""
    name, words = collection.published_file(path), []
    if name is not None:
        known = PUBLISHED["files"][name]
        words.append(("" if name == path else f"from {name}, ")
                     + f"{known['where']} (MD5 of {name}: {known['md5'] or 'unknown'})")
    if path.endswith(".npy"):
        lines = collection.queries if "queries" in path else collection.corpus
        words.append(f"made with the model: row i is the vector of line i of {lines}")
    elif name is None and "splade" in path:
        words.append('made with the model: JSONL of {"id": …, "vector": {"token": weight, …}}')
    elif name is None:
        words.append(f"not public for all; see {BEIR}" if collection.without_own else "test data")
    return "; ".join(words)


def describe(collection, model):
    """The files of a run, a line each."""
    return "".join(f"  {path}\n      {origin(collection, path)}\n"
                   for path in collection.files(model))


def find_missing(collection, model, data):
    """Raises a Problem that names all files that are missing or empty."""
    missing = []
    for path in collection.files(model):
        file = data / path
        if not file.exists():
            missing.append(f"  {path} is not there: {origin(collection, path)}")
        elif file.is_file() and file.stat().st_size == 0:
            missing.append(f"  {path} is empty: {origin(collection, path)}")
        elif file.is_dir() and not parts(file):
            missing.append(f"  {path} has no .jsonl or .jsonl.gz: {origin(collection, path)}")
    if missing:
        raise Problem(f"{collection.name} {model} lacks files in {data}; put them there:\n"
                      + "\n".join(missing))


def parts(folder):
    """The files of a folder of sparse vectors, or the file itself."""
    if not folder.is_dir():
        return [folder]
    return sorted(each for each in folder.iterdir()
                  if each.name.endswith((".jsonl", ".jsonl.gz")))


def md5_of(file):
    """Of a file, with progress for one that takes seconds."""
    digest, done, size = hashlib.md5(), 0, file.stat().st_size
    shown = time.monotonic()
    with file.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if time.monotonic() - shown > 2:
                shown = time.monotonic()
                note(f"checking {file.name}: {100 * done // size} %")
    return digest.hexdigest()


def check(collection, model, data):
    """Compares the checksums of what is there: of files of a run, and of the archives that they
    come from. Raises a Problem for one that is another; says which checksums are unknown."""
    names = {collection.published_file(path): None for path in collection.files(model)}
    for name in filter(None, names):
        known, file = PUBLISHED["files"][name], data / name
        if not file.exists():
            continue
        if known["md5"] is None:
            note(f"{name}: no published checksum is known; it is taken as it is")
            continue
        found = md5_of(file)
        if found != known["md5"]:
            raise Problem(f"{file} has the MD5 {found}, and {known['md5']} is published: it is "
                          f"damaged, cut short or another version; fetch it again from "
                          f"{known['where']}")
        note(f"{name}: the MD5 is as published")


def check_count(what, found, wanted, file, is_part):
    """Raises a Problem where a file has another number of lines than the whole has."""
    if wanted is None or is_part or found == wanted:
        return
    why = "it is cut short" if found < wanted else "it is another file"
    raise Problem(f"{file} has {found:,} {what}, and the collection has {wanted:,}: {why}; unpack it "
                  "again, or say --part if you mean a part of the collection")
