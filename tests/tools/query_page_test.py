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


def examples_of(page, *options):
    """Pairs of a search's arguments and what it finds."""
    found = re.findall(r"^\| `([^`]+)` \| ((?:\d )*)\|(?! with the rule)", page, re.M)
    return [((query, "--query-syntax", "json" if query.startswith('{"') else "lucene", *options), ids)
            for query, ids in found]


class Examples(unittest.TestCase):
    def test_each_finds_what_the_page_says(self):
        fields = PAGE[PAGE.index("## Fields"):]
        words, filters = PAGE[:PAGE.index("## Fields")].split("## Filters")
        documents, schema = re.findall(r"```json\n(.*?)```", words + filters, re.S)
        examples = examples_of(words)
        self.assertGreater(len(examples), 10)
        for (text, *_), ids in examples_of(filters):
            examples.append((("*:*", "--query-syntax", "lucene", "--filter", text), ids))
        self.assertGreater(len(examples), 30)
        rules = re.findall(r"^\| `([^`]+)` \| ((?:\d )*)\| with the rule `([^`]+)`", words, re.M)
        self.assertGreater(len(rules), 1)
        with tempfile.TemporaryDirectory() as folder:
            for number, (query, ids, rule) in enumerate(rules):
                file = Path(folder) / str(number)
                file.write_text(rule + "\n", encoding="utf-8")
                examples.append(((query, "--synonyms", str(file)), ids))
            self.check(documents, schema, examples)
        schema, documents = re.findall(r"```json\n(.*?)```", fields, re.S)
        examples = examples_of(fields)
        self.assertGreater(len(examples), 5)
        self.check(documents, schema, examples)

    def check(self, documents, schema, examples):
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
