"""The examples of docs/query.md find what the page says.
Run as: query_page_test.py SOURCE_FOLDER PROGRAM"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, PROGRAM = Path(sys.argv[1]), sys.argv[2]
PAGE = (ROOT / "docs" / "query.md").read_text(encoding="utf-8")


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", check=False)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


class Examples(unittest.TestCase):
    def test_each_finds_what_the_page_says(self):
        documents = re.search(r"```json\n(.*?)```", PAGE, re.S).group(1)
        examples = re.findall(r"^\| `([^`]+)` \| ((?:\d )*)\|", PAGE, re.M)
        self.assertGreater(len(examples), 10)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "documents.jsonl"
            source.write_text(documents, encoding="utf-8")
            index = str(Path(folder) / "index")
            run("index", "--input", str(source), "--format", "jsonl", "--output", index, "--positions")
            for query, ids in examples:
                found = run("search", index, query, "--query-syntax", "lucene",
                            "--output-format", "trec")
                with self.subTest(query=query):
                    self.assertEqual(sorted(line.split()[2] for line in found.splitlines()),
                                     ids.split())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
