"""What a server does about other processes that change its indexes.
Run as: watching_test.py SOURCE_FOLDER WARPDEX"""

import json
import random
import re
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
        text = json.dumps({"id": name, "title": "new", "body": "w1"})
        serving.program("add", self.index, "--input", "-", "--format", "jsonl", "--quiet",
                        input=text)

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
        self.add("more")
        self.wait_for(lambda: self.search()["commit"] > before["commit"])
        self.assertIn("more", [hit["document"] for hit in self.search()["hits"]])
        failed = self.failed()
        time.sleep(1.5)  # another look
        self.assertEqual(failed, self.failed())
        self.assertEqual(0, self.server.end())
        self.assertEqual(1, self.server.said.count("a new commit of 'texts' cannot be opened"))


if __name__ == "__main__":
    serving.run()
