"""What tools/lab/reproduce says of published figures, and of files that are missing or wrong."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

from published_forms import LAB, figures, reproduce, write_passages
from reproduction import files, readers, report, runs
from reproduction.collections import COLLECTIONS

PUBLISHED = json.loads((LAB / "reproduction" / "published.json").read_text("utf-8"))


# Published figures


def test_measures_are_those_that_trec_eval_prints(data: Path) -> None:
    peer = data / "peers" / "trec_eval"
    run: dict[str, dict[str, float]] = {}
    for line in (peer / "results.test").read_text().splitlines():
        query, _, id, _, score, _ = line.split()
        run.setdefault(query, {})[id] = float(score)
    qrels = {q: j for q, j in readers.read_qrels(peer / "qrels.test").items() if q in run}
    printed = {each[0]: float(each[2]) for line in (peer / "out.test.a").read_text().splitlines()
               if len(each := line.split()) == 3 and re.fullmatch(r"[\d.]+", each[2])}
    found = runs.measure(COLLECTIONS["cacm"], run, qrels)
    assert found["MAP@1000"] == pytest.approx(printed["map"], abs=6e-5)
    assert found["P@30"] == pytest.approx(printed["P_30"], abs=6e-5)
    assert found["nDCG@10"] == pytest.approx(printed["ndcg_cut_10"], abs=6e-5)


def test_cacm_is_as_anserini_publishes_it(data: Path, tmp_path: Path) -> None:
    found = figures("cacm", "bm25", data, "--work", tmp_path)
    assert found["published"] == {"MAP@1000": 0.3123, "P@30": 0.1942}
    for name, value in found["published"].items():
        assert found["measures"][name] == pytest.approx(value, abs=5e-4), name
    done = reproduce("cacm", "bm25", "--data", data, "--work", tmp_path)
    assert re.search(r"MAP@1000 +0\.3123 +0\.312\d +[+-]0\.000\d\n", done.stdout), done.stdout
    assert re.search(r"[\d,]+ queries a second \(1,000 documents each, one batch, cpu", done.stdout)


def test_vectors_are_as_an_independent_script_has_them(data: Path, tmp_path: Path) -> None:
    """MAP and nDCG@10 of exact inner products. Of medquad 26 judged queries have no text."""
    for name, queries, mean, gain in (("cacm", 52, 0.2996, 0.4423), ("npl", 93, 0.2793, 0.4335),
                                      ("medquad", 60, 0.3228, 0.3889)):
        found = figures(name, "minilm", data, "--work", tmp_path)
        assert found["queries"] == queries
        assert found["measures"]["MAP@1000"] == pytest.approx(mean, abs=1e-4)
        assert found["measures"]["nDCG@10"] == pytest.approx(gain, abs=1e-4)


def test_what_is_published() -> None:
    passages = PUBLISHED["collections"]["msmarco"]
    assert (passages["documents"], passages["queries"]) == (8841823, 6980)
    assert passages["figures"]["bm25"]["MRR@10"] == 0.184
    assert PUBLISHED["files"]["collectionandqueries.tar.gz"]["md5"] == "31644046b18952c1386cd4564ba2ae69"
    for name, file in PUBLISHED["files"].items():
        known = file["md5"] is not None
        assert not known or re.fullmatch("[0-9a-f]{32}", file["md5"]), name
        assert bool(file["source"]) == known, name
    for name, collection in PUBLISHED["collections"].items():
        assert name in COLLECTIONS
        for model, each in collection["figures"].items():
            assert model in COLLECTIONS[name].models and each["config"].endswith(".yaml")
            values = [each[measure] for measure in COLLECTIONS[name].measures if measure in each]
            assert values and all(0 < value < 1 for value in values)


# Mistakes


def refused(*given: object) -> str:
    done = reproduce(*given)
    assert done.returncode != 0 and "Traceback" not in done.stderr, done.stderr
    return done.stderr


def test_mistakes_of_the_command(tmp_path: Path) -> None:
    assert "--list" in refused("msmarko", "--data", tmp_path)
    assert "it has bm25, bm25-tuned, splade-v3" in refused("msmarco", "bert", "--data", tmp_path)
    assert "--files says" in refused("msmarco")
    listed = reproduce("msmarco", "bm25", "splade-v3", "--files")
    assert listed.returncode == 0
    for each in ("collection.tsv", "31644046b18952c1386cd4564ba2ae69", "msmarco-passage-splade-v3.tar"):
        assert each in listed.stdout


def test_missing_files(tmp_path: Path) -> None:
    data = write_passages(tmp_path / "data")
    (data / "collection.tsv").unlink()
    (data / "qrels.dev.small.tsv").write_text("")
    said = refused("msmarco", "--data", data, "--work", tmp_path)
    assert "collection.tsv is not there: from collectionandqueries.tar.gz, https://" in said
    assert "qrels.dev.small.tsv is empty" in said and "queries.dev" not in said


def test_other_checksums(tmp_path: Path) -> None:
    data = write_passages(tmp_path / "data")
    said = refused("dl19", "--data", data, "--work", tmp_path)
    assert "msmarco-test2019-queries.tsv.gz has the MD5" in said
    assert "eda71eccbe4d251af83150abe065368c is published" in said
    (data / "collectionandqueries.tar.gz").write_bytes(b"cut short")
    said = refused("msmarco", "--data", data, "--work", tmp_path)
    assert "31644046b18952c1386cd4564ba2ae69 is published" in said and "fetch it again" in said


def test_checksums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checksum is MD5's (RFC 1321, A.5), and that of an archive that is right passes."""
    data = write_passages(tmp_path / "data")
    (data / "collectionandqueries.tar.gz").write_bytes(b"message digest")
    monkeypatch.setitem(files.PUBLISHED["files"], "collectionandqueries.tar.gz",
                        {"md5": "f96b697d7cb7938d525a2f31aaf161d0", "where": "here", "source": "RFC"})
    files.check(COLLECTIONS["msmarco"], "bm25", data)


def test_files_that_are_cut_short(tmp_path: Path) -> None:
    data = write_passages(tmp_path / "data")
    given = ("msmarco", "--data", data, "--work", tmp_path / "work")
    said = refused(*given)
    assert "judged queries, and the collection has 6,980: it is cut short" in said and "--part" in said
    with pytest.raises(files.Problem, match=r"400 documents, and .* 8,841,823: it is cut short"):
        files.check_count("documents", 400, 8841823, data / "collection.tsv", False)
    packed = data / "msmarco-test2019-queries.tsv.gz"
    packed.write_bytes(packed.read_bytes()[:-30])
    assert "queries.tsv.gz cannot be read behind line" in refused(
        "dl19", "--data", data, "--work", tmp_path, "--part")
    (data / "queries.dev.small.tsv").write_text("100\tw1\n101")
    assert "line 2: not an id and a text" in refused(*given, "--part")
    (data / "queries.dev.small.tsv").write_text("100\tw1\n")
    assert "judged queries, such as 101" in refused(*given, "--part")
    (data / "collection.tsv").write_text("1\tw1\n2 w2\n")
    write_passages(tmp_path / "whole")
    (data / "queries.dev.small.tsv").write_bytes((tmp_path / "whole/queries.dev.small.tsv").read_bytes())
    assert "collection.tsv" in refused(*given, "--part")


def test_bad_vectors(tmp_path: Path) -> None:
    data = write_passages(tmp_path / "data")
    given = ("msmarco", "bge-base-en-v1.5", "--data", data, "--work", tmp_path / "work", "--part")
    topics = data / "topics.msmarco-passage.dev-subset.bge-base-en-v1.5.jsonl.gz"
    topics.write_bytes(gzip.compress(b'{"qid": "100", "vector": [1, 2]}\n{"qid": 1}\n'))
    rows = data / "bge-base-en-v1.5.npy"
    np.save(rows, np.zeros((399, 2), np.float32))
    assert "399 rows, and collection.tsv has 400 documents" in refused(*given)
    np.save(rows, np.zeros((400, 2), np.float64))
    assert "rows of float32 or float16" in refused(*given)
    rows.write_bytes(rows.read_bytes()[:-100])
    assert "no whole .npy file" in refused(*given)
    np.save(rows, np.zeros((400, 2), np.float32))
    assert "line 2: not an object of JSON with qid and vector" in refused(*given)


def test_differences_are_those_of_the_figures_that_are_shown() -> None:
    assert [report.difference(ours, 0.9767) for ours in (0.97666, 0.97674, 0.9766, 0.9768)] == [
        "+0.0000", "+0.0000", "-0.0001", "+0.0001"]
    assert report.difference(0.5, None) == "–"
