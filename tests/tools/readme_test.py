"""The commands of the README and of the guide work as they stand there, one after the other in a
folder, and what the README says they print is printed.
Run as: readme_test.py SOURCE_FOLDER WARPDEX"""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DIMENSION = 8


def commands_of(text, leaving_out):
    """All blocks of shell commands but those of some sections."""
    sections = re.split(r"^(?=## )", text, flags=re.M)
    kept = [section for section in sections
            if not section.startswith(tuple(f"## {name}\n" for name in leaving_out))]
    return "".join(re.findall(r"^```sh\n(.*?)^```$", "".join(kept), flags=re.M | re.S))


def vectors(rows):
    rng = random.Random(rows)
    return [struct.pack(f"<{DIMENSION}f", *(rng.random() for _ in range(DIMENSION)))
            for _ in range(rows)]


def write_fvecs(path, rows):
    path.write_bytes(b"".join(struct.pack("<i", DIMENSION) + row for row in vectors(rows)))


def write_npy(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {DIMENSION})}}\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     b"".join(vectors(rows)))


class Readme(unittest.TestCase):
    def run_commands(self, page, leaving_out, write_inputs=lambda folder: None):
        """What the page's commands print; `write_inputs` makes files that they only name."""
        text = (SOURCE / page).read_text(encoding="utf-8")
        commands = commands_of(text, leaving_out)
        self.assertGreaterEqual(commands.count("warpdex "), 4)
        environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        with tempfile.TemporaryDirectory() as folder:
            write_inputs(Path(folder))
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder,
                                  env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("", done.stderr)
        return text, done.stdout

    def test_the_readme(self):
        text, output = self.run_commands("README.md", ["Quickstart"])
        printed = re.findall(r"^```text\n(rank .*?)^```$", text, flags=re.M | re.S)
        self.assertEqual(1, len(printed))
        self.assertIn(printed[0], output)

    def test_the_guide(self):
        def write_inputs(folder):
            for name, rows in (("base", 200), ("queries", 20), ("more", 5)):
                write_fvecs(folder / f"{name}.fvecs", rows)
            write_npy(folder / "books.npy", 3)
            write_npy(folder / "queries.npy", 2)
            (folder / "words.txt").write_text("ship\nsail\nsea\ncaptain\n", encoding="utf-8")
            (folder / "misspelt.txt").write_text("shipp\n", encoding="utf-8")

        _, output = self.run_commands("docs/guide.md", ["Install"], write_inputs)
        self.assertRegex(output, r"\nmap +\tall\t1\.0000\n")
        self.assertIn("shipp\tship\t1\n", output)


if __name__ == "__main__":
    PROGRAM = Path(sys.argv.pop(2)).resolve()
    SOURCE = Path(sys.argv.pop(1))
    if not PROGRAM.is_file():
        sys.exit(f"there is no program at {PROGRAM}; build the target warpdex first")
    unittest.main()
