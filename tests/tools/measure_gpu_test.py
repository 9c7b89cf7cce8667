#!/usr/bin/env python3
"""Tests tools/lab/measure-gpu with programs that only pretend: measure_gpu_test.py SCRIPT."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(SCRIPT))
from gpu_figures import cases, checks, figures, logs, measure, tables  # noqa: E402

DECODE = {"copy_gigabytes_per_second": 2000.0, "results": [
    {"codec": codec, "decoded": what, "lists": lists, "postings": 1000, "seconds": seconds * 1e-9,
     "floor_seconds": 1e-10, "right": True}
    for codec, what, lists, seconds in (
        ("bitpack", "docIDs", "random", 2.5), ("bitpack", "docIDs", "clustered", 9),
        ("bitpack", "gaps only", "random", 9), ("bitpack", "frequencies", "frequencies", 1),
        ("pfor/1", "docIDs", "random", 4), ("pfor/1", "frequencies", "frequencies", 2),
        ("pfor/4", "docIDs", "random", 99), ("pfor/4", "frequencies", "frequencies", 99))]}


LOG = {"count": 1000, "postings_per_query": 2e6, "list_bytes_per_query": 3e6}


def bench(rate=100_000.0, codec="bitpack", device="GPU", batch=1000, by_cpu=0, queries=1000,
          **more):
    return {"index": {"codec": codec}, "queries": dict(LOG, count=queries), "device": device,
            "batch_size": batch, "queries_per_second": rate,
            "queries_by_processor": {"gpu": 5, "cpu": by_cpu},
            "microseconds": {"mean": 3.0, "p50": 2.0, "p99": 9.0}, **more}


def row(collection="bitpack impacts", case="or 10", is_whole=True, **changed):
    return figures.figure_of(collection, case, ["x"], bench(**changed), DECODE, is_whole)


def taking(collection, case, microseconds, **changed):
    """A row of so many microseconds a query."""
    return row(collection, case, rate=1e6 / microseconds, **changed)


class Floors(unittest.TestCase):
    def test_are_postings_over_rates(self):
        read, decoded = figures.floors(LOG, "bitpack", DECODE)
        self.assertAlmostEqual(read, 3e6 / 2e12 * 1e6)
        self.assertAlmostEqual(decoded, 2e6 * (2.5e-12 + 1e-12) * 1e6)

    def test_of_pfor_are_those_of_one_level(self):
        self.assertAlmostEqual(figures.floors(LOG, "pfor", DECODE)[1], 2e6 * 6e-12 * 1e6)

    def test_without_the_decode_benchmark(self):
        read, decoded = figures.floors(LOG, "rice", {})
        self.assertAlmostEqual(read, 1.0)
        self.assertIsNone(decoded)


class Rows(unittest.TestCase):
    def test_say_that_a_target_is_missed(self):
        self.assertIn("misses", tables.remark(row(rate=100_000.0)))
        self.assertNotIn("misses", tables.remark(row(rate=300_000.0)))

    def test_have_no_target_of_a_smaller_collection(self):
        self.assertIsNone(row(is_whole=False)["target"])

    def test_tell_what_the_cpu_answered(self):
        self.assertIn("7 answered by the CPU", tables.remark(row(by_cpu=7)))
        self.assertNotIn("answered", tables.remark(row(device="cpu", by_cpu=7)))

    def test_have_percentiles_one_by_one(self):
        self.assertIn("p50 2.0, p99 9.0", tables.remark(row(batch=1)))

    def test_of_runs_are_their_medians(self):
        runs = [row(rate=rate, batch=1, microseconds={"mean": 3.0, "p50": p50, "p99": p99})
                for rate, p50, p99 in ((500_000.0, 2.0, 9.0), (100_000.0, 5.0, 8.0),
                                       (250_000.0, 4.0, 7.0))]
        found = figures.of_runs(runs)
        self.assertAlmostEqual(found["microseconds_a_query"], 4)
        self.assertEqual((found["p50"], found["p99"]), (4.0, 8.0))
        self.assertEqual(found["document"], runs[2]["document"])
        self.assertIn("the median of 3 runs, 2.00 to 10.00; p50 4.0 (2.0 to 5.0), "
                      "p99 8.0 (7.0 to 9.0)", tables.remark(found))
        self.assertNotIn("runs", tables.remark(figures.of_runs(runs[:1])))

    def test_of_runs_tell_what_the_cpu_answered_in_any(self):
        runs = [row(rate=rate, by_cpu=by_cpu) for rate, by_cpu in ((1.0, 0), (2.0, 0), (3.0, 4))]
        self.assertIn("4 answered by the CPU", tables.remark(figures.of_runs(runs)))

    def test_tell_how_often_lists_were_there(self):
        lists = {"resident": False, "cache_hits": 3, "cache_misses": 1}
        self.assertIn("75% of the uses", tables.remark(row(gpu_lists=lists)))
        lists["resident"] = True
        self.assertNotIn("uses", tables.remark(row(gpu_lists=lists)))

    def test_that_failed_keep_the_table_in_shape(self):
        failed = {"collection": "c", "case": "d", "failed": "status 1: a | b"}
        lines = tables.engine_table([row(), failed]).split("\n")
        self.assertEqual({line.count("|") for line in lines}, {8})
        self.assertIn("**failed:** status 1", lines[-1])

    def test_tell_what_warps_do(self):
        with_stages = row(stage_microseconds={"build": 1.0, "finish": 0.0},
                          match_phases={"decode": 0.75, "wait": 0.25}, tile_phases={"decode": 0})
        self.assertIn("warps of match: decode 75%, wait 25%", tables.remark(with_stages))
        self.assertNotIn("warps of tiles", tables.remark(with_stages))


class Checks(unittest.TestCase):
    """By figures for which one can tell by hand what is met."""

    def found(self, *rows):
        return {check["what"]: check for check in checks.checks(rows, {}, ["bitpack", "rice"])}

    def only(self, *rows):
        found = self.found(*rows)
        self.assertEqual(len(found), 1, found)
        return next(iter(found.values()))

    def test_of_percentiles(self):
        found = self.found(row("bitpack", "or 10 one by one", batch=1))
        self.assertEqual([check["figure"] for check in found.values()], [2.0, 9.0])
        self.assertTrue(all(check["is_met"] for check in found.values()))

    def test_of_times_the_cpu(self):
        check = self.only(taking("text", "or 1000 CPU", 29), taking("text", "or 1000", 5))
        self.assertAlmostEqual(check["figure"], 5.8)
        self.assertFalse(check["is_met"])

    def test_of_long_queries(self):
        check = self.only(taking("bitpack", "64 terms: or 10", 200),
                          taking("bitpack", "256 terms: or 10", 1010))
        self.assertAlmostEqual(check["figure"], 5.05)
        self.assertFalse(check["is_met"])

    def test_of_times_the_cpu_when_both_take_64_at_a_time(self):
        found = self.found(taking("text", "and 10 CPU", 2), taking("text", "and 10 CPU by 64", 5),
                           taking("text", "and 10 by 64, 1 in flight", 4))
        self.assertEqual([(check["figure"], check["is_met"]) for check in found.values()],
                         [(0.5, False), (1.25, True)])

    def test_of_codecs(self):
        check = self.only(taking("bitpack", "or 10", 4), taking("rice", "or 10", 6))
        self.assertAlmostEqual(check["figure"], 1.5)
        self.assertTrue(check["is_met"])

    def test_of_a_thousand_answers(self):
        check = self.only(taking("bitpack impacts", "or 10", 4),
                          taking("bitpack impacts", "or 1000", 9))
        self.assertFalse(check["is_met"])

    def test_of_and_or(self):
        # 500 of 1,000 queries fell back and take 4 each: 2 a query of the whole log.
        check = self.only(taking("bitpack", "and-or 10", 7.8), taking("bitpack", "and 10", 5),
                          taking("bitpack", "fallen back: or 10", 4, queries=500))
        self.assertAlmostEqual(check["figure"], 7.8 / 7)
        self.assertFalse(check["is_met"])

    def test_of_the_huge_query(self):
        rows = [row("bitpack", name + ": and 10", microseconds={"mean": 999.0, "p50": median})
                for name, median in (("others and the huge", 320.0), ("others", 252.0),
                                     ("the huge", 120.0))]
        check = self.only(*rows)
        self.assertAlmostEqual(check["figure"], 320 - 252)
        self.assertEqual(check["limit"], "≤ 120")
        self.assertTrue(check["is_met"])

    def test_of_half_the_memory(self):
        check = self.only(taking("bitpack", "or 10", 4),
                          taking("bitpack", "or 10 in 1/2 of the memory", 9))
        self.assertFalse(check["is_met"])

    def test_of_one_row(self):
        rows = [{"type": "float", "keys": "random", "rows": 1, "k": k, "method": method,
                 "microseconds": time}
                for k, method, time in ((0, "read only", 12.0), (0, "launch only", 5.0),
                                        (10, "chosen", 30.0))]
        check = checks.checks([], {"select": {"rows": rows}}, [])[0]
        self.assertEqual(check["limit"], "≤ 29")
        self.assertFalse(check["is_met"])

    def test_leave_out_what_failed(self):
        failed = {"collection": "bitpack", "case": "or 10", "failed": "no"}
        self.assertEqual(self.found(failed, taking("bitpack", "or 1000", 9)), {})


class Logs(unittest.TestCase):
    QUERIES = [["a", "x y"], ["b", "y z"], ["c", "z"], ["d", "x z"]]
    ANSWERS = {"and-or": [{"id": "a", "fell_back_to_or": False},
                          {"id": "b", "fell_back_to_or": True},
                          {"id": "c", "fell_back_to_or": False},
                          {"id": "d", "fell_back_to_or": False}],
               "or": [{"id": name, "matches": matches}
                      for name, matches in (("a", 5), ("b", 9), ("c", 9), ("d", 2))],
               "and": [{"id": name, "matches": matches}
                       for name, matches in (("a", 3), ("b", 0), ("c", 9), ("d", 1))]}

    def test_are_those_of_the_answers(self):
        made = logs.of_answers(self.QUERIES, self.ANSWERS)
        self.assertEqual(made["fallen back"], [["b", "y z"]])
        self.assertEqual(made["the huge"], [["b", "y z"]])
        self.assertEqual(made["others"], [["a", "x y"], ["c", "z"], ["d", "x z"]])
        self.assertEqual(made["others and the huge"],
                         [["a", "x y"], ["c", "z"], ["d", "x z"], ["b", "y z"]])

    def test_of_and_have_several_terms_that_match(self):
        made = logs.of_answers(self.QUERIES, self.ANSWERS)
        self.assertEqual(made["the huge of AND"], [["a", "x y"]])
        self.assertEqual(made["others and the huge of AND"],
                         [["b", "y z"], ["d", "x z"], ["a", "x y"]])
        of_one_term = [query for query in self.QUERIES if query[0] == "c"]
        self.assertEqual(logs.of_answers(of_one_term, self.ANSWERS)["the huge of AND"], [])
        none = {**self.ANSWERS, "and": [{"id": name, "matches": 0} for name in "abcd"]}
        for name in ("the huge of AND", "others of AND", "others and the huge of AND"):
            self.assertEqual(logs.of_answers(self.QUERIES, none)[name], [])

    def test_of_many_queries_are_few(self):
        many = [[str(i), "x"] for i in range(100)]
        answers = {"and-or": [], "or": [{"id": str(i), "matches": i % 41} for i in range(100)],
                   "and": []}
        made = logs.of_answers(many, answers)
        self.assertEqual(made["the huge"], [["40", "x"]])
        self.assertEqual(len(made["others and the huge"]), 64)

    def test_have_distinct_terms(self):
        made = logs.long_queries([["a", " ".join(f"t{i}" for i in range(40))]], 32)
        self.assertEqual(len(made), logs.LONG_QUERIES)
        for _, text in made:
            self.assertEqual(len(set(text.split())), 32)
        self.assertEqual(logs.long_queries(self.QUERIES, 9), [])

    def test_mixed_with_the_log_are_of_64_terms_at_most(self):
        wide = [["a", " ".join(f"t{i}" for i in range(130))]]
        answers = {"and-or": [], "or": [{"id": "a", "matches": 1}], "and": []}
        with tempfile.TemporaryDirectory() as folder:
            counts = {prefix: count for _, prefix, _, count in logs.make(wide, answers, folder)}
        self.assertEqual(counts["128 terms"], logs.LONG_QUERIES)
        self.assertNotIn("256 terms", counts)
        self.assertEqual(counts["mixed"], 1 + 5)

    def test_are_written_and_have_cases(self):
        with tempfile.TemporaryDirectory() as folder:
            made = logs.make(self.QUERIES, self.ANSWERS, folder)
            self.assertEqual([(prefix, count) for _, prefix, _, count in made],
                             [("fallen back", 1), ("the huge", 1), ("others", 3),
                              ("others and the huge", 4), ("the huge", 1), ("others", 2),
                              ("others and the huge", 3), ("mixed", 4)])
            self.assertEqual(logs.read(made[2][2]), [["a", "x y"], ["c", "z"], ["d", "x z"]])
            self.assertEqual(logs.read(made[5][2]), [["b", "y z"], ["d", "x z"]])
            for name, _, _, _ in made:
                self.assertTrue(cases.log_cases()[name])



class KernelTables(unittest.TestCase):
    def test_compare_decoding_with_its_targets(self):
        lines = tables.decode_table(DECODE).split("\n")
        self.assertIn("| 400 **misses** | 500 |", lines[2])
        self.assertIn("| 250 **misses** | 400 |", lines[6])
        self.assertNotIn("misses", lines[4])

    def test_compare_selection_with_its_targets(self):
        rows = [{"keys": "random", "type": "float", "rows": 10000, "columns": 131072, "k": k,
                 "method": "chosen", "microseconds": 1.0, "GB/s": 1.0, "of copy": 0.5}
                for k in (10, 1000)]
        lines = tables.rows_table({"benchmark": "select", "rows": rows}).split("\n")
        self.assertIn("0.75 **misses**", lines[2])
        self.assertTrue(lines[3].endswith("| 0.45 |"))


class Commands(unittest.TestCase):
    def test_have_one_pass_where_all_is_to_be_quick(self):
        for command in (["bench", "x"], ["bench", "--repetitions", "20", "x"]):
            self.assertEqual(measure.with_one_pass(command),
                             ["bench", "x", "--repetitions", "1"])

    def test_with_less_memory_have_parts_of_the_index(self):
        arguments = [case.arguments for case in cases.budget_cases(1000, [2, 4])]
        budgets = [each[each.index("--gpu-memory") + 1] for each in arguments]
        self.assertEqual(budgets, ["500"] * 4 + ["250"] * 4)


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
        answers = {"queries": [{"id": name, "fell_back_to_or": name == "b", "matches": 3}
                               for name in "ab"]}
        body = f"""
for last; do :; done
case "$*" in
  generate*) while [ "$1" != --output ]; do shift; done
    mkdir -p "$2/index" && printf 'a\tx y\nb\ty z\n' > "$2/queries.tsv" ;;
  search*) while [ "$1" != --output ]; do shift; done
    echo '{json.dumps(answers)}' > "$2" ;;
  *--count*) echo "no | counts" >&2; exit 3 ;;
  *) echo '{json.dumps(bench(batch=1))}' > "$last" ;;
esac
"""
        for name in ("warpdex", "warpdex-lab"):
            self.write_program(name, body)
        done, figures = self.run_script("--codecs", "bitpack")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "", done.stderr)
        failed = [row for row in figures["rows"] if "failed" in row]
        self.assertEqual({row["case"] for row in failed},
                         {"or 10 count" + more
                          for more in ("", " CPU", " one core", " in 1/2 of the memory",
                                       " in 1/4 of the memory", " in 1/10 of the memory")})
        self.assertIn("status 3: no | counts", failed[0]["failed"])
        self.assertGreater(len(figures["rows"]), 20)
        self.assertEqual(len(figures["failed"]), 3)  # there are no benchmarks of kernels
        self.assertIn("**failed:**", done.stdout)
        self.assertIn("times AND and its share of OR", done.stdout)
        self.assertIn("date", figures)
        self.assertTrue(any(row["case"] == "the huge: or 10 exhaustive" for row in figures["rows"]))

    def test_of_long_queries_alone(self):
        words = " ".join(f"t{i}" for i in range(20))
        body = f"""
for last; do :; done
case "$*" in
  generate*) while [ "$1" != --output ]; do shift; done
    mkdir -p "$2/index" && printf 'a\\t{words}\\n' > "$2/queries.tsv" ;;
  *) echo '{json.dumps(bench(batch=1))}' > "$last" ;;
esac
"""
        for name in ("warpdex", "warpdex-lab"):
            self.write_program(name, body)
        done, figures = self.run_script("--long")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row["case"] for row in figures["rows"]},
                         {f"{terms} terms: {case}" for terms in (9, 12, 16)
                          for case in ("or 10 one by one", "or 1000 one by one", "or 10")})
        self.assertEqual({row["collection"] for row in figures["rows"]},
                         {"bitpack", "bitpack impacts"})

    def test_go_on_where_nothing_can_be_generated(self):
        for name in ("warpdex", "warpdex-lab"):
            self.write_program(name, "echo no disk >&2; exit 1\n")
        done, figures = self.run_script("--quick", "--text", "i", "--text-queries", "q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not generated: status 1: no disk", figures["rows"][0]["failed"])
        self.assertEqual(figures["rows"][-1]["collection"], "text")

    def test_refuse_what_they_do_not_know(self):
        for options in (["--codecs", "zip"], ["--text", "i"], ["--budgets", "two"]):
            self.assertEqual(self.run_script(*options)[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
