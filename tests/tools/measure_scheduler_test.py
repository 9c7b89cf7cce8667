#!/usr/bin/env python3
"""Tests tools/lab/measure-scheduler, on the CPU: measure_scheduler_test.py SCRIPT WARPDEX."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

WARPDEX = pathlib.Path(sys.argv.pop(2))
SCRIPT = sys.argv.pop(1)
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("measure_scheduler", SCRIPT)
spec = importlib.util.spec_from_loader("measure_scheduler", loader)
script = importlib.util.module_from_spec(spec)
loader.exec_module(script)


def on_gpu():
    given = types.SimpleNamespace(device="gpu", output=pathlib.Path("."))
    return script.Collection("big=index,log", given)


def verdicts(rows):
    return {what: (value, verdict) for what, _, value, verdict in rows}


class Rows(unittest.TestCase):
    def test_load_compares_with_whole_batches_and_the_better_one_alone(self):
        load = {"highest_rates": [
            {"on": "cpu", "queries_per_second": 100},
            {"on": "gpu", "queries_per_second": 1000},
            {"on": "both", "queries_per_second": 1080, "simulated_queries_per_second": 1200}],
            "by_hand": [{"on": "cpu", "whole_batches_per_second": 120},
                        {"on": "gpu", "whole_batches_per_second": 980}]}
        rows = list(script.load_rows(on_gpu(), load))
        self.assertEqual([row[3] for row in rows], ["met", "**misses**", "**misses**"])
        self.assertTrue(rows[0][2].startswith("0.98: cpu 100, gpu 1000, both 1080"), rows[0])
        self.assertEqual(rows[1][2], "1.08")
        self.assertEqual(rows[2][2], "+11.1%")

    def test_idle_takes_the_better_processor_of_each_class(self):
        def of(p50, p99):
            return {"p50_us": p50, "p99_us": p99}

        def hand(processor, rate, *classes):
            classes = {name: of(*figures) for name, figures in zip("ab", classes)}
            at_rate = {name: of(one["p50_us"] + 5, one["p99_us"] * 2)
                       for name, one in classes.items()}
            delays = {name: of(one["p50_us"] + 20, one["p99_us"] / 2)
                      for name, one in classes.items()}
            return {"on": processor, "classes": classes,
                    "at_rates": [{"classes": at_rate, "delays": {"classes": delays}}],
                    "callers_batches_per_second": rate}
        idle = {"by_hand": [hand("cpu", 50, (10, 100), (500, 900)),
                            hand("gpu", 90, (60, 80), (70, 90))],
            "loads": [{"on": "both", "rate": 1000,
                       "classes": {"a": of(20, 97), "b": of(85, 90)}}],
            "callers": [{"on": "both", "callers": 64, "answers_per_second": 91}]}
        rows = list(script.idle_rows(on_gpu(), idle))
        self.assertEqual([row[3] for row in rows],
                         ["met; met; met", "met; **misses**; **misses**", "met; **misses**; met",
                          "met; met; **misses**", "met"])

    def test_a_huge_query_and_full_batches(self):
        def at(p99):
            return {"loads": [{"on": "both", "rate": 5, "all": {"p99_us": p99},
                               "classes": {"a": {"p99_us": p99}}}],
                    "full_batches": [{"all": {"p99_us": 1000}}]}
        rows = list(script.half_rows(on_gpu(), at(90), at(100)))
        self.assertEqual([row[3] for row in rows], ["met", "**misses**"])


class Program(unittest.TestCase):
    def run_script(self, folder, *options):
        done = subprocess.run(
            [sys.executable, SCRIPT, WARPDEX.parent.parent, folder / "out", "--device", "cpu",
             "--threads", "1", "--seconds", "0.2", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done

    def test_makes_rows_part_by_part(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([WARPDEX.with_name("warpdex-lab"), "generate", "--documents", "2000", "--queries", "20",
                            "--output", folder / "made", "--quiet"], check=True)
            small = f"small={folder}/made/index,{folder}/made/queries.tsv"
            early = self.run_script(folder, "--only", "half", small)
            self.assertEqual(early.returncode, 1)
            self.assertIn("there are no figures of load", early.stdout)
            for parts in ("idle,load", "half,overload,paper,memory"):
                done = self.run_script(folder, "--only", parts, small)
                self.assertEqual(done.returncode, 0, done.stderr)
            for row in ("*small*, idle, 1000/s, or, k 10: p50", "64 callers that wait",
                        "*small*, load: queries/s with less than 1 % missed in 100 ms",
                        "simulator against live, cpu", "overload at", "refuse", "partial",
                        "500 ms, no query missed"):
                self.assertIn(row, done.stdout)
            self.assertEqual((folder / "out" / "figures.md").read_text(), done.stdout)
            load = json.loads((folder / "out" / "small.load.json").read_text())
            self.assertGreater(load["highest_rates"][0]["queries_per_second"], 0)

    def test_a_command_that_fails_is_a_row(self):
        with tempfile.TemporaryDirectory() as name:
            done = self.run_script(pathlib.Path(name), "--only", "idle", "none=/none,/none")
            self.assertEqual(done.returncode, 1)
            self.assertIn("| *none*, idle |  | failed: warpdex: ", done.stdout)


if __name__ == "__main__":
    if not WARPDEX.is_file():
        sys.exit(f"there is no program at {WARPDEX}; build the target warpdex first")
    unittest.main()
