"""Links and paths of the documents lead to files and headings of this repository, and all pages
together are short enough to be read.
Run as: docs_test.py SOURCE_FOLDER"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

FOLDERS = ("api", "cmake", "codecs", "core", "docs", "examples", "include", "indexer",
           "python", "query", "scheduler", "server", "tests", "tools", "vector")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./+-]*")
PLACEHOLDER = re.compile("NAME|FOLDER|FILE")
# Counted as wc -w does, with the bars of tables.
MAX_WORDS, MAX_README_WORDS = 40_000, 900


def pages(root):
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])


def words(page):
    return len(page.read_text(encoding="utf-8").split())


def without_code(text):
    """A page's text without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)


def anchors(text):
    """Of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?) *$", without_code(text), flags=re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while (name := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(name)
    return found


def broken_links(page):
    """Links of a page to what is not there; those into the web are passed over."""
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(SPAN.sub("", without_code(text))):
        if re.match(r"\w+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield link
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield link


def broken_paths(page, root):
    """Paths between backticks, from the top of the repository, that lead nowhere. The path of a
    public header may leave include/warpdex/FOLDER/ out."""
    for span in SPAN.findall(without_code(page.read_text(encoding="utf-8"))):
        if not PATH.fullmatch(span) or PLACEHOLDER.search(span):
            continue
        folder, _, rest = span.partition("/")
        if not (root / span).exists() and not (
                root / folder / "include/warpdex" / folder / rest).exists():
            yield span


class Documents(unittest.TestCase):
    maxDiff = None

    def check(self, broken):
        found = {str(page.relative_to(ROOT)): sorted(set(broken(page))) for page in pages(ROOT)}
        self.assertGreater(len(found), 10)
        self.assertEqual({}, {page: names for page, names in found.items() if names})

    def test_links_lead_somewhere(self):
        self.check(broken_links)

    def test_paths_are_those_of_the_repository(self):
        self.check(lambda page: broken_paths(page, ROOT))

    def test_pages_are_short(self):
        self.assertLessEqual(sum(words(page) for page in pages(ROOT)), MAX_WORDS)
        self.assertLessEqual(words(ROOT / "README.md"), MAX_README_WORDS)


class TheCheckItself(unittest.TestCase):
    def test_what_is_broken_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "core/include/warpdex/core").mkdir(parents=True)
            (root / "core/include/warpdex/core/error.hpp").touch()
            page = root / "page.md"
            page.write_text("# Big `words`, here\n\n# Twice\n\n# Twice\n\n[a](#big-words-here) "
                            "[b](#twice-1) [c](core) [d](#small) [e](gone.md)\n`core/error.hpp` "
                            "`core/gone.hpp` `[f](gone.md)`\n\n```\n[g](gone.md) # none\n```\n",
                            encoding="utf-8")
            self.assertEqual(["#small", "gone.md"], list(broken_links(page)))
            self.assertEqual(["core/gone.hpp"], list(broken_paths(page, root)))
            page.write_text("# Four `words` | \n\nhere", encoding="utf-8")
            self.assertEqual(5, words(page))


if __name__ == "__main__":
    ROOT = Path(sys.argv.pop(1)).resolve()
    unittest.main()
