"""What a server does about other processes that change its indexes.
Run as: watching_test.py SOURCE_FOLDER WARPDEX"""

import json
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import serving


class Watching(unittest.TestCase):
    def setUp(self):
        seed = random.SystemRandom().randrange(2**32)
        print(f"{self.id()}: seed {seed}", file=sys.stderr)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.index = self.root / "texts"
        serving.build_index(self.index, serving.documents(random.Random(seed), 50))
        self.server = serving.Served(self.root)
        self.addCleanup(self.server.end)

    def wait_for(self, holds):
        for _ in range(300):
            if holds():
                return
            time.sleep(0.05)
        self.fail("it did not come about within 15 seconds")

    def failed(self):
        text = self.server.get("/metrics").body.decode()
        name = "warpdex_index_refreshes_failed_total"
        return float(re.search(rf'^{name}{{index="texts"}} (\S+)$', text, re.M).group(1))

    def add(self, name):
        """What another process says against adding a document; "" where it does so."""
        text = json.dumps({"id": name, "title": "new", "body": "w1"})
        run = subprocess.run([serving.PROGRAM, "add", self.index, "--input", "-", "--format",
                              "jsonl", "--quiet"], input=text, capture_output=True, text=True)
        self.assertEqual(run.returncode == 0, run.stderr == "", run.stderr)
        return run.stderr

    def search(self):
        return self.server.get("/v1/texts/search?q=w1&k=100").json()

    def test_a_commit_that_cannot_be_opened(self):
        """It is counted and told once, the one before it is searched, and the next one is taken."""
        before = self.search()
        self.assertEqual(0, self.failed())
        manifest = self.index / "manifest.json"
        good = manifest.read_bytes()
        manifest.write_bytes(good[:-40])
        self.wait_for(lambda: self.failed() >= 2)
        self.assertEqual(before["hits"], self.search()["hits"])
        manifest.write_bytes(good)
        self.assertEqual("", self.add("more"))
        self.wait_for(lambda: self.search()["commit"] > before["commit"])
        self.assertIn("more", [hit["document"] for hit in self.search()["hits"]])
        failed = self.failed()
        time.sleep(1.5)  # another look
        self.assertEqual(failed, self.failed())
        self.assertEqual(0, self.server.end())
        self.assertEqual(1, self.server.said.count("a new commit of 'texts' cannot be opened"))

    def put(self, name, more=""):
        answer = self.server.ask("PUT", f"/v1/texts/documents/{name}{more}", {"text": "w1"})
        self.assertEqual(201, answer.status, answer.body)

    def found(self):
        return {hit["document"] for hit in self.search()["hits"]}

    def test_an_index_is_let_go_when_nothing_changes(self):
        """But not while a change waits for a commit. All changes are there in the end."""
        self.put("a", "?commit")
        self.assertIn("is being written", self.add("b"))
        self.wait_for(lambda: self.add("b") == "")
        self.wait_for(lambda: "b" in self.found())
        self.put("c")
        time.sleep(7)
        self.assertNotEqual("", self.add("d"))
        self.assertEqual(200, self.server.ask("POST", "/v1/texts/commit").status)
        self.wait_for(lambda: self.add("d") == "")
        self.put("e", "?commit")
        self.assertLessEqual(set("abcde"), self.found())
        self.assertEqual(0, self.server.end())

    def test_many_small_commits_are_merged_before_it_is_let_go(self):
        for number in range(40):
            self.put(f"n{number}", "?commit")
        self.wait_for(lambda: self.add("z") == "")
        self.wait_for(lambda: "z" in self.found())
        self.assertLessEqual({f"n{number}" for number in range(40)}, self.found())
        self.assertLess(self.server.get("/v1/texts").json()["segments"], 40)


if __name__ == "__main__":
    serving.run()
