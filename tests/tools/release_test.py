"""The version stands in CMakeLists.txt, and what names it elsewhere agrees; the scripts and folders
that workflows, hooks, the Dockerfile and CONTRIBUTING.md name are there.
Run as: release_test.py SOURCE_FOLDER"""

import re
import sys
import unittest
from pathlib import Path

# Of workflows and the like: paths of scripts and of folders of tests.
PATH = re.compile(r"(?<![\w./-])(?:tools|tests|docs)/[\w./-]*\w|\.ci/\w+")


def text(*names):
    return "\n".join((SOURCE / name).read_text(encoding="utf-8") for name in names)


class Release(unittest.TestCase):
    def test_version(self):
        version = re.search(r"project\(warpdex VERSION ([\d.]+)", text("CMakeLists.txt"))[1]
        self.assertEqual(re.findall(r"^## (\d[\d.]*)", text("CHANGELOG.md"), re.M)[0], version)
        pages = [path.relative_to(SOURCE) for path in SOURCE.glob("docs/**/*.md")]
        found = re.findall(r"find_package\(warpdex ([\d.]+)",
                           text("examples/CMakeLists.txt", "README.md", *pages))
        self.assertGreater(len(found), 0)
        for named in found:
            self.assertEqual(named, version.rpartition(".")[0])

    def test_paths(self):
        workflows = [path.relative_to(SOURCE) for path in SOURCE.glob(".github/workflows/*")]
        named = set(PATH.findall(text(*workflows, ".pre-commit-config.yaml", "Dockerfile",
                                      "CONTRIBUTING.md")))
        self.assertIn(".ci/run", named)
        self.assertEqual([path for path in sorted(named)
                          if not re.search("NAME|format-N", path) and not (SOURCE / path).exists()],
                         [])


SOURCE = Path(sys.argv.pop(1))
unittest.main()
