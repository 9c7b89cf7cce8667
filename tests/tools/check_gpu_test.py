#!/usr/bin/env python3
"""Tests tools/check-gpu with programs that only pretend: check_gpu_test.py SCRIPT."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

# Lists two forms; else says what a test program says of one test, by the words in $MOOD.
TESTS = """#!/bin/sh
echo "$*"
case "$*" in
  *--gtest_list_tests*) echo "Forms/GpuSmall."; echo "  AnswersAsTheOracle/bitpackBm25";
    echo "  AnswersAsTheOracle/riceImpacts"; exit 0 ;;
  *$BROKEN*) echo "[  FAILED  ] A.B (3 ms)"; exit 1 ;;
esac
echo "[ ${MOOD:-      OK} ] A.B (3 ms)"
"""
SANITIZER = """#!/bin/sh
echo "========= ERROR SUMMARY: 0 errors"
while [ "${1#/}" = "$1" ]; do shift; done
"$@"
"""


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("warpdex_core_tests", "warpdex_codecs_tests", "warpdex_vector_tests",
                     "warpdex_query_tests", "warpdex_scheduler_tests", "warpdex_api_tests",
                     "warpdex_tools_tests"):
            self.write(name, TESTS)
        self.write("compute-sanitizer", SANITIZER)

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, 0o755)

    def run_script(self, *options, **environment):
        path = self.folder.name + os.pathsep + os.environ["PATH"]
        return subprocess.run(
            [sys.executable, SCRIPT, self.folder.name, os.path.join(self.folder.name, "out"),
             *options], env=dict({"BROKEN": "nothing"}, PATH=path, **environment),
            capture_output=True, text=True, check=False)

    def test_all_tools_and_forms(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for tool in ("memcheck", "initcheck", "synccheck", "racecheck"):
            for what in ("core", "codecs", "vector", "query", "query changed", "query fields", "api",
                         "tools", "bitpackBm25", "riceImpacts"):
                self.assertIn(f"| {tool} {what} | ok | 1 | 0 | 0 | 0 errors |", done.stdout)
            with open(os.path.join(self.folder.name, "out", f"{tool}-riceImpacts.log"),
                      encoding="utf-8") as log:
                suite = "GpuTiny.*" if tool == "racecheck" else "GpuSmall."
                self.assertIn(f"Forms/{suite}AnswersAsTheOracle/riceImpacts", log.read())
        self.assertIn("88 steps passed, 0 failed", done.stdout)

    def test_a_failure_is_told(self):
        done = self.run_script("--tools", "memcheck", BROKEN="riceImpacts")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| memcheck riceImpacts | **failed** | 0 | 1 |", done.stdout)
        self.assertIn("| memcheck bitpackBm25 | ok |", done.stdout)

    def test_skipping_all_is_no_success(self):
        done = self.run_script("--tools", "", MOOD=" SKIPPED")
        self.assertEqual(done.returncode, 1)
        self.assertIn("**no test ran**", done.stdout)

    def test_forms_are_chosen(self):
        done = self.run_script("--tools", "racecheck", "--forms", "rice")
        self.assertEqual(done.returncode, 0)
        self.assertIn("racecheck riceImpacts", done.stdout)
        self.assertNotIn("bitpackBm25", done.stdout)

    def test_what_is_missing_is_named(self):
        os.remove(os.path.join(self.folder.name, "warpdex_core_tests"))
        done = self.run_script("--tools", "")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("warpdex_core_tests is missing", done.stdout + done.stderr)
        self.assertEqual(self.run_script("--tools", "magic").returncode, 2)


if __name__ == "__main__":
    unittest.main()
