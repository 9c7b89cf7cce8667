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
        documents, schema = re.findall(r"```json\n(.*?)```", PAGE, re.S)
        words, filters = (re.findall(r"^\| `([^`]+)` \| ((?:\d )*)\|", part, re.M)
                          for part in PAGE.split("## Filters"))
        self.assertGreater(len(words), 10)
        self.assertGreater(len(filters), 10)
        examples = [((query, "--query-syntax", "lucene"), ids) for query, ids in words]
        examples += [(("*:*", "--query-syntax", "lucene", "--filter", text), ids)
                     for text, ids in filters]
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "documents.jsonl"
            source.write_text(documents, encoding="utf-8")
            index = str(Path(folder) / "index")
            (Path(folder) / "schema.json").write_text(schema, encoding="utf-8")
            run("index", "--input", str(source), "--format", "jsonl", "--output", index,
                "--schema", str(Path(folder) / "schema.json"), "--positions")
            for query, ids in examples:
                found = run("search", index, *query, "--output-format", "trec")
                with self.subTest(query=query):
                    self.assertEqual(sorted(line.split()[2] for line in found.splitlines()),
                                     ids.split())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
