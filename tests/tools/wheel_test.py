"""tools/setup/wheel says what it does, and refuses Pythons that it cannot build with. Making a
wheel takes minutes and is part of a release.
Run as: wheel_test.py SOURCE_FOLDER"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


def run(*arguments):
    return subprocess.run([SOURCE / "tools" / "setup" / "wheel", *arguments], capture_output=True,
                          text=True, check=False)


class Wheel(unittest.TestCase):
    def refusal(self, answer):
        """What the script says to a Python that gives this answer about itself."""
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder) / "python"
            python.write_text(f"#!/bin/sh\necho '{answer}'\n", encoding="utf-8")
            python.chmod(0o755)
            done = run("--python", python)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            return done.stderr.replace(str(python), "PYTHON")

    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"(?s)--python PATH.*--cuda.*--output FOLDER")

    def test_old_python(self):
        for version in ["2 7", "3 10"]:
            self.assertEqual(self.refusal(f"{version} True"),
                             f"wheel: PYTHON is Python {version.replace(' ', '.')}, which is too "
                             "old: name one of 3.11 or later by --python\n")

    def test_no_headers(self):
        self.assertEqual(self.refusal("3 11 False"), "wheel: PYTHON has no headers: install them "
                         "(Debian's package: python3-dev)\n")

    def test_no_python(self):
        self.assertEqual(self.refusal("hello"),
                         "wheel: PYTHON is no Python that runs here: name another by --python\n")
        done = run("--python", "/no/such/python")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no Python that runs here", done.stderr)


SOURCE = Path(sys.argv.pop(1))
unittest.main()
