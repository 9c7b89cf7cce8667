"""How messages are worded: what an exception says, and what stands behind "warpdex: ", begins with
a small letter and ends without a full stop. Words that are always written in capitals (ICU, GPU)
may begin one. Run as: messages_test.py SOURCE_FOLDER"""

import re
import sys
import unittest
from pathlib import Path

FOLDERS = ("core", "codecs", "vector", "indexer", "query", "tools")
ENDINGS = (".cpp", ".hpp", ".cu", ".cuh")
# Calls whose argument is a message or its end, and what else a message is made by.
CALL = re.compile(r"\b(?:\w*Error|Interrupted|\w*fail\w*|damaged|refuse\w*|complain)\s*\(")
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
REASON = re.compile(r"(?:\breturn|\b(?:why|kReason) =)\s+(?:std::string\()?" + LITERAL)
PRINTED = re.compile(r'"warpdex: ((?:[^"\\\n]|\\.)*)"')
CAPITAL = re.compile(r"[A-Z](?:[a-z]| )")


def without_comments(text):
    """The code, with lines where they were."""
    return re.sub(r"^[ \t]*//.*$|(?<=[;{},)])[ \t]*//.*$", "", text, flags=re.M)


def argument(text, start):
    """What stands between the parenthesis before `start` and the one that closes it."""
    depth, i = 1, start
    while i < len(text) and depth > 0:
        literal = re.match(LITERAL + r"|'(?:[^'\\]|\\.)'", text[i:])
        if literal:
            i += literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[start : i - 1]


def faults(text):
    """(line, message) of each message that is worded otherwise."""
    text = without_comments(text)

    def fault(match, message):
        return text.count("\n", 0, match.start()) + 1, message

    for call in CALL.finditer(text):
        said = argument(text, call.end())
        first = re.match(r"\s*(?:std::string\()?\s*" + LITERAL, said)
        if first and CAPITAL.match(first.group(1)):
            yield fault(call, first.group(1))
        last = re.search(LITERAL + r"\s*\)*\s*$", said)
        if last and re.search(r"[^.]\.$", last.group(1)):
            yield fault(call, last.group(1))
    for pattern in (REASON, PRINTED):
        for literal in pattern.finditer(text):
            if CAPITAL.match(literal.group(1)) and " " in literal.group(1):
                yield fault(literal, literal.group(1))


class Messages(unittest.TestCase):
    maxDiff = None

    def test_all_are_worded_alike(self):
        found, messages = [], 0
        for folder in FOLDERS:
            for file in sorted((SOURCE / folder).rglob("*")):
                if file.suffix not in ENDINGS:
                    continue
                text = file.read_text(encoding="utf-8")
                messages += len(CALL.findall(text))
                for line, message in faults(text):
                    found.append(f"{file.relative_to(SOURCE)}:{line}: {message}")
        self.assertGreater(messages, 150)
        self.assertEqual([], found)

    def test_what_is_a_fault(self):
        wrong = [
            'throw UsageError("There is none");',
            'throw UsageError(std::string("There is ") + name);',
            'throw InputError("the " + name + " is gone.");',
            'fail(line, "is bad.");',
            'return "The GPU " + name;',
            'std::cerr << "warpdex: The rest is lost\\n";',
            'throw InputError(\n    "A name (as here) is"\n    " none");',
        ]
        right = [
            'throw UsageError("there is none");',
            'throw Error(std::string("ICU could not ") + what);',
            'throw InputError(file + " The end");',
            'throw IoError("cannot open the file (see ...)");',
            '// throw UsageError("There is none.");',
            'title = "Size";',
        ]
        for text in wrong:
            self.assertEqual(1, len(list(faults(text))), text)
        for text in right:
            self.assertEqual([], list(faults(text)), text)


if __name__ == "__main__":
    SOURCE = Path(sys.argv.pop(1))
    unittest.main()
