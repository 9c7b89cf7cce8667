"""Indexes that an earlier program wrote open, are whole and answer as they did, before and after
they are merged: tests/data/format-N, which tests/data/make made. answers.json has the commands.
Run as: old_formats_test.py SOURCE_FOLDER WARPDEX"""

import json
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

# Of Pythons that know it; newer ones ask for it.
SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
NUMBER = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")


def is_near(one, other):
    """Float arithmetic may differ by this much with the order in which a processor adds."""
    return abs(one - other) <= 1e-5 * max(abs(one), abs(other), 1)


def same_line(expected, found):
    """Equal but for fractions, which are near each other."""
    left, right = NUMBER.split(expected), NUMBER.split(found)
    return (left[::2] == right[::2] and
            all(is_near(float(a), float(b)) for a, b in zip(left[1::2], right[1::2])))


def holds(found, expected):
    """Whether JSON has the members that are expected; newer programs may add some."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and holds(found[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return (isinstance(found, list) and len(found) == len(expected) and
                all(map(holds, found, expected)))
    if isinstance(expected, float):
        return isinstance(found, (int, float)) and is_near(found, expected)
    return found == expected


def merge_command(index):
    """Of an index that can be changed."""
    manifest = json.loads((index / "manifest.json").read_text(encoding="utf-8"))
    kind = manifest.get("kind", "text")
    if kind == "metric" or (kind == "text" and "k1" in (manifest["impacts"] or {})):
        return []
    return {"text": ["merge", "--all"], "vectors": ["vector", "merge"]}[kind]


class OldFormats(unittest.TestCase):
    def run_program(self, folder, *command):
        done = subprocess.run([PROGRAM, *command], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def check_answers(self, folder, answers):
        for answer in answers:
            command, expected = answer["command"], answer["answer"]
            found = self.run_program(folder, *command)
            if "json" in command:
                self.assertTrue(holds(json.loads(found), json.loads("\n".join(expected))),
                                f"{command}\n{found}")
                continue
            lines = found.splitlines()
            self.assertEqual(len(lines), len(expected), command)
            for line, wanted in zip(lines, expected):
                self.assertTrue(same_line(wanted, line), f"{command}\n{line}\nnot {wanted}")

    def check_format(self, data):
        answers = json.loads((data / "answers.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as place:
            with tarfile.open(data / "indexes.tar.gz") as archive:
                archive.extractall(place, **SAFELY)
            indexes = sorted(path.parent for path in Path(place).glob("*/manifest.json"))
            asked = {part for answer in answers for part in answer["command"]}
            self.assertEqual([index.name for index in indexes if index.name not in asked], [])
            for index in indexes:
                self.run_program(place, "verify", index.name)
            self.check_answers(place, answers)
            for index in indexes:
                merge = merge_command(index)
                if merge:
                    self.run_program(place, *merge, index.name)
                    self.run_program(place, "verify", index.name)
            self.check_answers(place, answers)

    def test_open_and_answer_as_they_did(self):
        folders = sorted((SOURCE / "tests/data").glob("format-*"))
        self.assertGreater(len(folders), 0)
        for data in folders:
            with self.subTest(data.name):
                self.check_format(data)


SOURCE, PROGRAM = Path(sys.argv.pop(1)), str(Path(sys.argv.pop(1)).resolve())
unittest.main()
