#!/usr/bin/env python3
"""Tests tools/measure-gpu with programs that only pretend: measure_gpu_test.py SCRIPT."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

SCRIPT = sys.argv.pop(1)
LOADER = importlib.machinery.SourceFileLoader("measure_gpu", SCRIPT)
sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_loader("measure_gpu", LOADER)
measure_gpu = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(measure_gpu)

DECODE = {"copy_gigabytes_per_second": 2000.0, "results": [
    {"codec": codec, "decoded": what, "lists": lists, "postings": 1000, "seconds": seconds * 1e-9,
     "floor_seconds": 1e-10, "right": True}
    for codec, what, lists, seconds in (
        ("bitpack", "docIDs", "random", 2.5), ("bitpack", "docIDs", "clustered", 9),
        ("bitpack", "gaps only", "random", 9), ("bitpack", "frequencies", "frequencies", 1),
        ("pfor/1", "docIDs", "random", 4), ("pfor/1", "frequencies", "frequencies", 2),
        ("pfor/4", "docIDs", "random", 99), ("pfor/4", "frequencies", "frequencies", 99))]}


def bench(rate=100_000.0, codec="bitpack", device="GPU", batch=1000, by_cpu=0):
    return {"index": {"codec": codec}, "queries": {"postings_per_query": 2e6}, "device": device,
            "batch_size": batch, "queries_per_second": rate,
            "queries_by_processor": {"gpu": 5, "cpu": by_cpu},
            "microseconds": {"mean": 3.0, "p50": 2.0, "p99": 9.0}}


def row(collection="bitpack impacts", case="or 10", is_whole=True, **changed):
    return measure_gpu.figure_of(collection, case, ["x"], bench(**changed), DECODE, is_whole)


class Floors(unittest.TestCase):
    def test_are_postings_over_rates(self):
        read, decoded = measure_gpu.floors(2e6, "bitpack", DECODE)
        self.assertAlmostEqual(read, 2e6 * 1.1 / 2e12 * 1e6)
        self.assertAlmostEqual(decoded, 2e6 * (2.5e-12 + 1e-12) * 1e6)

    def test_of_pfor_are_those_of_one_level(self):
        self.assertAlmostEqual(measure_gpu.floors(1e6, "pfor", DECODE)[1], 1e6 * 6e-12 * 1e6)

    def test_without_the_decode_benchmark(self):
        read, decoded = measure_gpu.floors(3e6, "rice", {})
        self.assertAlmostEqual(read, 1.1)
        self.assertIsNone(decoded)


class Rows(unittest.TestCase):
    def test_say_that_a_target_is_missed(self):
        self.assertIn("misses", measure_gpu.remark(row(rate=100_000.0)))
        self.assertNotIn("misses", measure_gpu.remark(row(rate=300_000.0)))

    def test_have_no_target_of_a_smaller_collection(self):
        self.assertIsNone(row(is_whole=False)["target"])

    def test_tell_what_the_cpu_answered(self):
        self.assertIn("7 answered by the CPU", measure_gpu.remark(row(by_cpu=7)))
        self.assertNotIn("answered", measure_gpu.remark(row(device="cpu", by_cpu=7)))

    def test_have_percentiles_one_by_one(self):
        self.assertIn("p50 2.0, p99 9.0", measure_gpu.remark(row(batch=1)))

    def test_that_failed_keep_the_table_in_shape(self):
        failed = {"collection": "c", "case": "d", "failed": "status 1: a | b"}
        lines = measure_gpu.engine_table([row(), failed]).split("\n")
        self.assertEqual({line.count("|") for line in lines}, {8})
        self.assertIn("**failed:** status 1", lines[-1])

    def test_are_drawn(self):
        failed = {"collection": "c", "case": "d", "failed": "no"}
        drawn = measure_gpu.plot([row(case="a < b"), failed, row(rate=2.0)])
        xml.dom.minidom.parseString(drawn)
        self.assertIn("a &lt; b", drawn)
        xml.dom.minidom.parseString(measure_gpu.plot([failed]))


class KernelTables(unittest.TestCase):
    def test_compare_decoding_with_its_targets(self):
        lines = measure_gpu.decode_table(DECODE).split("\n")
        self.assertIn("| 400 **misses** | 500 |", lines[2])
        self.assertIn("| 250 **misses** | 400 |", lines[6])
        self.assertNotIn("misses", lines[4])

    def test_compare_selection_with_its_targets(self):
        rows = [{"keys": "random", "type": "float", "rows": 10000, "columns": 131072, "k": k,
                 "method": "chosen", "microseconds": 1.0, "GB/s": 1.0, "of copy": 0.5}
                for k in (10, 1000)]
        lines = measure_gpu.rows_table({"benchmark": "select", "rows": rows}).split("\n")
        self.assertIn("0.75 **misses**", lines[2])
        self.assertTrue(lines[3].endswith("| 0.45 |"))


class Runs(unittest.TestCase):
    """The whole script, over a `warpdex` that generates nothing much and fails for counts."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = os.path.join(self.folder.name, "build")
        os.mkdir(self.build)

    def write_program(self, name, body):
        path = os.path.join(self.build, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + body)
        os.chmod(path, 0o755)

    def run_script(self, *options):
        output = os.path.join(self.folder.name, "output")
        done = subprocess.run([sys.executable, SCRIPT, self.build, output, *options],
                              capture_output=True, text=True, check=False)
        figures = {}
        if os.path.exists(os.path.join(output, "figures.json")):
            with open(os.path.join(output, "figures.json"), encoding="utf-8") as file:
                figures = json.load(file)
        return done, figures

    def test_turn_failures_into_rows(self):
        self.write_program("warpdex", f"""
for last; do :; done
case "$*" in
  generate*) while [ "$1" != --output ]; do shift; done
    mkdir -p "$2/index" && touch "$2/queries.tsv" ;;
  *--count*) echo "no | counts" >&2; exit 3 ;;
  *) echo '{json.dumps(bench())}' > "$last" ;;
esac
""")
        done, figures = self.run_script("--codecs", "rice")
        self.assertEqual(done.returncode, 1, done.stderr)
        failed = [row for row in figures["rows"] if "failed" in row]
        self.assertEqual({row["case"] for row in failed}, {"or 10 count", "or 10 count CPU"})
        self.assertIn("status 3: no | counts", failed[0]["failed"])
        self.assertGreater(len(figures["rows"]), 20)
        self.assertEqual(len(figures["failed"]), 3)  # there are no benchmarks of kernels
        self.assertIn("**failed:**", done.stdout)

    def test_go_on_where_nothing_can_be_generated(self):
        self.write_program("warpdex", "echo no disk >&2; exit 1\n")
        done, figures = self.run_script("--quick", "--text", "i", "--text-queries", "q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not generated: status 1: no disk", figures["rows"][0]["failed"])
        self.assertEqual(figures["rows"][-1]["collection"], "text")

    def test_refuse_what_they_do_not_know(self):
        for options in (["--codecs", "zip"], ["--text", "i"], ["--budgets", "two"]):
            self.assertEqual(self.run_script(*options)[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
