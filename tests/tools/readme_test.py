"""The README's commands for indexing and searching work as they stand there, one after the other in
an empty folder, and what it says they print is printed. Its links lead to files.
Run as: readme_test.py SOURCE_FOLDER WARPDEX"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECTION = "## Indexing and searching"


class Readme(unittest.TestCase):
    def setUp(self):
        self.text = (SOURCE / "README.md").read_text(encoding="utf-8")

    def test_commands_do_what_it_says(self):
        start = self.text.index(SECTION)
        section = self.text[start : self.text.index("\n## ", start + 1)]
        commands = "".join(re.findall(r"^```sh\n(.*?)^```$", section, flags=re.M | re.S))
        printed = re.findall(r"^```\n(rank .*?)^```$", section, flags=re.M | re.S)
        self.assertGreaterEqual(commands.count("warpdex "), 8)
        self.assertEqual(1, len(printed))
        environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder,
                                  env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("", done.stderr)
        self.assertIn(printed[0], done.stdout)
        self.assertRegex(done.stdout, r"\nmap +\tall\t1\.0000\n")

    def test_links_lead_somewhere(self):
        links = re.findall(r"\]\(([^)#:]+)\)", self.text)
        self.assertGreater(len(links), 4)
        for link in links:
            self.assertTrue((SOURCE / link).exists(), link)


if __name__ == "__main__":
    PROGRAM = Path(sys.argv.pop(2)).resolve()
    SOURCE = Path(sys.argv.pop(1))
    if not PROGRAM.is_file():
        sys.exit(f"there is no program at {PROGRAM}; build the target warpdex first")
    unittest.main()
