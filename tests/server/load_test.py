"""The load generator of the laboratory: what it counts is what the server counts.
Run as: load_test.py SOURCE_FOLDER WARPDEX, with warpdex-lab beside it."""

import json
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import serving


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        serving.build_index(root / "indexes" / "some", serving.documents(random.Random(1), 200))
        cls.queries = root / "queries.tsv"
        cls.queries.write_text("1\tw1 w2\nw3 \u00e9&=+%\n3\tw4\n")
        cls.server = serving.Served(root / "indexes")

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.folder.cleanup()

    def searched(self):
        """Searches that the server has answered, of both processors."""
        text = self.server.ask("GET", "/metrics").body.decode()
        found = re.findall(r"^warpdex_search_duration_seconds_count\{.*\} (\d+)$", text, re.M)
        self.assertEqual(2, len(found))
        return sum(map(int, found))

    def load(self, index, *options):
        lab = Path(serving.PROGRAM).resolve().parent / "warpdex-lab"
        done = subprocess.run(
            [lab, "http", index, "--queries", self.queries, "--server",
             f"127.0.0.1:{self.server.port}", "--seconds", "0.5", "--connections", "3", "--json",
             "-", *options], check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        self.assertEqual(1, len(found["loads"]))
        return found["searches_per_request"], found["loads"][0]["statuses"]

    def check(self, *options):
        before = self.searched()
        each, statuses = self.load("some", *options)
        self.assertEqual([200], [one["status"] for one in statuses])
        count = statuses[0]["count"]
        requests_of_warming = {1: 3, 2: 2}[each]
        self.assertEqual((count + requests_of_warming) * each, self.searched() - before)
        self.assertLessEqual(0, statuses[0]["p50_us"])
        self.assertLessEqual(statuses[0]["p50_us"], statuses[0]["p99_us"])
        self.assertLessEqual(statuses[0]["p99_us"], statuses[0]["max_us"])
        return count

    def test_callers_that_wait(self):
        self.assertGreater(self.check(), 3)

    def test_a_rate(self):
        self.assertGreater(self.check("--rate", "100", "--deadline", "1000"), 10)

    def test_batches(self):
        self.assertGreater(self.check("--batch", "2"), 1)

    def test_refusals_have_their_status(self):
        self.assertEqual([404], [one["status"] for one in self.load("none")[1]])


if __name__ == "__main__":
    serving.run()
