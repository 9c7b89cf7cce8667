"""docs/json.md names each member of the JSON that commands write, with its type, and the members
that it names are there. Those that need a GPU may be missing.
Run as: json_test.py SOURCE_FOLDER WARPDEX"""

import json
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QUERIES = 30
WORDS = [f"w{i}" for i in range(60)]
DOCUMENTS = 400
# Where each query has an object on a line of its own.
BY_LINE = {"`warpdex vector search`", "`warpdex metric search`"}


class Member:
    """A row of a table, or what lies on the way to one."""

    def __init__(self):
        self.kind = None  # as the page says
        self.note = ""  # when the member is there; empty: always
        self.members = {}  # of an object, or of the objects of an array
        self.has_row = False
        self.was_seen = False

    def is_optional(self):
        return self.note.startswith("only")


def take_rows(lines):
    """(name, type, note) of the members in a table's lines."""
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|\n").split("|")]
        if len(cells) != 3 or not cells[0].startswith("`"):
            continue
        note = re.search(r"\((only [^()]*)\)$", cells[2])
        for name in re.findall(r"`([^`]+)`", cells[0]):
            yield name, cells[1], note.group(1) if note else ""


def place(root, path):
    """The member at a path such as a.b[].*, made if need be; what lies around it has no row of its
    own unless there is more to say."""
    member = root
    for name in path.split("."):
        if member.kind is None:
            member.kind = "object"
        member = member.members.setdefault(name.removesuffix("[]"), Member())
        if name.endswith("[]") and member.kind is None:
            member.kind = "array"
    return member


class Page:
    """The sections of docs/json.md, by their headings."""

    def __init__(self, text):
        self.rows = {}
        self.trees = {}
        for section in re.split(r"^#{2,3} ", text, flags=re.M)[1:]:
            heading, _, rest = section.partition("\n")
            self.rows[heading] = list(take_rows(rest.splitlines()))

    def members(self, heading):
        """The tree of a section's members, each table of a type put where the type is."""
        if heading in self.trees:  # a section that is in several, or in itself
            return self.trees[heading]
        root = self.trees[heading] = Member()
        for name, kind, note in self.rows[heading]:
            member = place(root, name)
            assert not member.has_row, f"{heading}: {name} stands there twice"
            member.kind, member.note, member.has_row = kind, note, True
            if link := re.fullmatch(r"(array of )?\[(\w+)\]\(#\2\)", kind):
                member.kind = "array" if link.group(1) else "object"
                member.members = self.members(link.group(2)).members
        return root


def fits(value, kind):
    if kind.endswith(" or null"):
        return value is None or fits(value, kind.removesuffix(" or null"))
    if isinstance(value, bool):
        return kind == "boolean"
    types = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict}
    return kind in types and isinstance(value, types[kind])


def compare(value, member, path):
    """What value and page say differently."""
    member.was_seen = True
    if isinstance(value, list):
        for item in value:
            yield from compare(item, member, path + "[]")
    if not isinstance(value, dict):
        return
    named = member.members
    for name, part in value.items():
        inner = f"{path}.{name}".lstrip(".")
        known = named.get(name) or named.get("*")
        if known is None:
            yield f"{inner} is not named"
        elif known.kind is None or not fits(part, known.kind):
            yield f"{inner} is {json.dumps(part)[:40]}, not of the type '{known.kind}'"
        else:
            yield from compare(part, known, inner)
    for name, known in named.items():
        if name != "*" and name not in value and not known.is_optional():
            yield f"{path}.{name}".lstrip(".") + " is missing"


def unseen(member, path="", above=()):
    """Members that were in no JSON, though no GPU is needed for them."""
    if "GPU" in member.note or any(member.members is each for each in above):
        return
    for name, part in member.members.items():
        if not part.was_seen and "GPU" not in part.note:
            yield f"{path}{name}"
        yield from unseen(part, f"{path}{name}.", (*above, member.members))


def write_vectors(path, rows, rng):
    with path.open("wb") as file:
        for _ in range(rows):
            file.write(struct.pack("<i8f", 8, *(rng.random() for _ in range(8))))


class JsonPage(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.page = Page((SOURCE / "docs/json.md").read_text(encoding="utf-8"))
        self.trees = {}
        self.checked = set()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write_inputs()

    def write_inputs(self):
        rng = random.Random(1)
        for name, rows in (("base", DOCUMENTS), ("queries", QUERIES), ("more", 5)):
            write_vectors(self.folder / f"{name}.fvecs", rows, rng)
        files = {
            "documents.tsv": [f"d{i}\t{' '.join(rng.choices(WORDS[:rng.randint(2, 60)], k=12))}"
                              for i in range(DOCUMENTS)],
            "queries.tsv": [f"q{i}\t{' '.join(rng.sample(WORDS, 3))}" for i in range(QUERIES)],
            "qrels": [f"q{i} 0 d{document} 1" for i in range(QUERIES)
                      for document in rng.sample(range(DOCUMENTS), 8)],
            "words.txt": WORDS,
            "ids.txt": [f"v{i}" for i in range(DOCUMENTS)],
            "more.txt": [f"m{i}" for i in range(5)],
            "gone.txt": ["v3"],
            "schema.json": ['{"fields": {"year": {"type": "int"}, "lang": {"type": "keyword"}}}'],
            "columns.jsonl": ['{"id": "a", "contents": "sea", "year": 1990, "lang": "en"}',
                              '{"id": "b", "contents": "sea", "year": 1991}'],
            "texts.json": ['{"fields": {"title": {"type": "text"}, "contents": {"type": "text"}}}'],
            "texts.jsonl": ['{"id": "a", "title": "sea", "contents": "the sea"}'],
            "near.json": ['{"fields": {"near": {"type": "vector", "dimension": 2, "index": "ivf-sq8"}}}'],
            "near.jsonl": ['{"id": "a", "contents": "sea", "near": [1, 2]}'],
            "sparse.jsonl": ['{"id": "a", "vector": {"x": 3, "y": 1}}'],
        }
        for name, lines in files.items():
            (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run_warpdex(self, command):
        done = subprocess.run([PROGRAM, *command.split()], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(0, done.returncode, f"{command}\n{done.stderr}")
        return done.stdout

    def check(self, heading, command, option="--json -"):
        """Compares each line of JSON, or the whole, with the section of that heading."""
        text = self.run_warpdex(f"{command} {option}")
        tree = self.trees.setdefault(heading, self.page.members(heading))
        for part in text.splitlines() if heading in BY_LINE else [text]:
            self.assertEqual([], list(compare(json.loads(part), tree, "")), command)
        self.checked.add(heading)

    def check_documents(self):
        build = "index --format tsv --input documents.tsv --quiet --output"
        self.run_warpdex(f"{build} index --vectors base.fvecs --vector-index ivf-sq8 --store text")
        self.run_warpdex(f"{build} pfor --codec pfor")
        self.run_warpdex(f"{build} positions --positions")
        self.run_warpdex(f"{build} impacts --impacts")
        self.run_warpdex("index --format sparse --input sparse.jsonl --quiet --output sparse")
        self.run_warpdex("index --format jsonl --input columns.jsonl --quiet --output columns "
                         "--schema schema.json")
        self.run_warpdex("index --format jsonl --input texts.jsonl --quiet --output fields "
                         "--schema texts.json")
        self.run_warpdex("index --format jsonl --input near.jsonl --quiet --output near "
                         "--schema near.json")
        (self.folder / "texts").mkdir()
        for name in ("text", ".hidden"):
            (self.folder / "texts" / name).write_text("sea\n", encoding="utf-8")
        self.check("`warpdex index`", "index --format text --input texts --output texts.index")
        for index in ("index", "pfor", "impacts", "sparse", "columns", "near"):
            self.check("`warpdex stats` of documents", f"stats {index}")
        self.check("`warpdex suggest`", "suggest index w")
        self.check("`warpdex plan`", "plan --documents 400 --postings-per-document 9.5")
        queries = "--queries queries.tsv"
        self.check("`warpdex search`",
                   f"search index {queries} --show text --show-matches-position",
                   "--output-format json")
        self.check("`warpdex search`", "search columns sea --sort year --facet year:..1991..,lang",
                   "--output-format json")
        self.check("`warpdex search`", "search index w10~2 --query-syntax lucene",
                   "--output-format json")
        self.check("`warpdex search`", f"search index {queries} --mode and --count",
                   "--output-format json")
        named = [("index", f"--scorer {name}") for name in ("bm25", "bm25+", "bm25-lucene", "qld", "qljm", "pl2")]
        for index, scorer in (*named, ("impacts", "")):
            self.check("`warpdex search`", f"search {index} {queries} --explain {scorer}",
                       "--output-format json")
        self.check("`warpdex search`", "search fields sea --explain", "--output-format json")
        for query in ("w1* AND (w2 OR nowhere)", '"w1 w2"~9 w4'):
            self.check("`warpdex search`", f"search positions {query} --explain",
                       "--query-syntax lucene --output-format json")
        bench = f"--repetitions 1 {queries}"
        self.check("`warpdex bench`", f"bench index {bench}")
        self.check("`warpdex bench`", f"bench pfor {bench} --scorer qld --batch-size 7")
        for name in ("bm25+", "bm25-lucene", "qljm", "pl2"):
            self.check("`warpdex bench`", f"bench index {bench} --scorer {name}")
        self.check("`warpdex bench`", f"bench impacts {bench} --mode and-or")
        self.check("`warpdex bench`", f"bench columns {bench} --filter year=1990 --facet lang")
        self.check("`warpdex calibrate`",
                   f"calibrate index {bench} --device cpu --modes or --ks 10")
        load = f"load index {queries} --on cpu --seconds 0.02 --rate 200"
        self.check("`warpdex load`", f"{load} --callers 1 --by-hand --simulate")
        self.check("`warpdex load`", f"{load} --find-rate --deadline 10 --simulate")
        self.run_warpdex(f"search index {queries} --output run")
        self.check("`warpdex evaluate`", "evaluate --qrels qrels --run run --per-query")
        self.check("`warpdex tune`",
                   f"tune index {queries} --vector-queries queries.fvecs --qrels qrels")

    def check_changes(self):
        changes = "`warpdex add`, `delete` and `merge`"
        (self.folder / "old.txt").write_text("text\n", encoding="utf-8")
        self.run_warpdex("index --format tsv --input documents.tsv --quiet --output changed")
        self.check(changes, "add changed --format text --input texts --quiet")
        self.check(changes, "delete changed --ids old.txt --quiet")
        self.check(changes, "merge changed --all --quiet")

    def check_vectors(self):
        build = "vector build --input base.fvecs --quiet --output"
        kinds = {"flat": "--ids ids.txt", "ivf-flat": "--lists 4",
                 "ivf-pq": "--lists 4 --opq-dimension 4", "xfbq": "",
                 "ivf-xfbq": "--lists 4", "sq8": "", "ivf-sq8": "--lists 4"}
        for kind, options in kinds.items():
            self.check("`warpdex vector build`", f"{build} {kind} --index {kind} {options}")
            self.check("`warpdex stats` of vectors", f"stats {kind}")
        search = "vector search flat --queries queries.fvecs -k 3"
        self.check("`warpdex vector search`", search)
        self.check("`warpdex vector search`", search.replace("flat", "ivf-flat"))
        self.run_warpdex(f"{search} --output found.ivecs --distances found.fvecs")
        bench = "--queries queries.fvecs --repetitions 1 --batch-sizes 2 -k 3"
        self.check("`warpdex vector bench`", f"vector bench flat {bench} --compare ivf-pq "
                   "--probes 2 --refine 0,5 --truth found.ivecs --gflops 10")
        self.check("`warpdex vector kmeans`", "vector kmeans --input base.fvecs --clusters 3 "
                   "--quiet --output centroids.fvecs")
        self.run_warpdex("vector graph flat -k 4 --output graph.ivecs")
        path = "vector path --graph graph.ivecs --from 1"
        self.check("`warpdex vector path`", f"{path} --vectors flat --to 5")
        self.check("`warpdex vector path`", f"{path} --vectors ivf-flat --to 1")
        evaluate = "vector evaluate --truth found.ivecs --result found.ivecs"
        self.check("`warpdex vector evaluate`", evaluate)
        self.check("`warpdex vector evaluate`", f"{evaluate} --truth-distances found.fvecs "
                   "--result-distances found.fvecs")
        changes = "`warpdex vector add`, `remove` and `merge`"
        self.check(changes, "vector add flat --input more.fvecs --ids more.txt --quiet")
        self.check(changes, "vector remove flat --ids gone.txt --quiet")
        self.check(changes, "vector merge flat --quiet")

    def check_metric(self):
        self.check("`warpdex metric build`", "metric build --input words.txt --quiet "
                   "--distance levenshtein --output words")
        self.run_warpdex("metric build --input base.fvecs --quiet --distance l2 --output vectors")
        self.check("`warpdex metric search`", "metric search words --queries words.txt -k 2")
        self.check("`warpdex metric search`", "metric search vectors --queries queries.fvecs -k 2")
        self.check("`warpdex metric bench`",
                   "metric bench words --queries words.txt -k 2 --radius 1 --repetitions 1")

    def test_members_are_those_of_the_page(self):
        self.check_documents()
        self.check_changes()
        self.check_vectors()
        self.check_metric()
        self.assertEqual({heading for heading in self.page.rows if heading.startswith("`")},
                         self.checked)
        for heading, tree in self.trees.items():
            self.assertEqual([], list(unseen(tree)), heading)

    def test_a_difference_is_found(self):
        root = Page("## x\n| `a[].b` | number | |\n"
                    "| `c` | string | more of it (only then) |\n").members("x")
        self.assertEqual([], list(compare({"a": [{"b": 1}]}, root, "")))
        self.assertEqual(["c"], list(unseen(root)))
        wrong = {"a": [{}, {"b": True}], "c": "", "d": 1}
        self.assertEqual(["a[].b is missing", "a[].b is true, not of the type 'number'",
                          "d is not named"], list(compare(wrong, root, "")))


if __name__ == "__main__":
    PROGRAM = Path(sys.argv.pop(2)).resolve()
    SOURCE = Path(sys.argv.pop(1))
    unittest.main()
