"""The ranks of an MPI job answer a file of queries over parts as warpdex search does over one index
of all documents: to the byte. Where they cannot, all of them end, with one sentence.
Run as: mpi_test.py WARPDEX WARPDEX_MPI"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WARPDEX, WARPDEX_MPI = sys.argv[1:3]
SEED = int(os.environ.get("WARPDEX_TEST_SEED") or random.randrange(1 << 32))
DOCUMENTS = 700


def mpirun(ranks, *arguments, under=(), stdin=None):
    return subprocess.run(
        ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), *under, WARPDEX_MPI,
         *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False, timeout=60,
        stdin=stdin)


def warpdex(*arguments):
    return subprocess.run([WARPDEX, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, encoding="utf-8").stdout


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not there")
class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("WARPDEX_TEST_SEED", SEED, flush=True)
        chance = random.Random(SEED)

        def words(count):
            return " ".join(f"w{int(chance.paretovariate(0.6)) % 200}" for _ in range(count))

        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "docs.tsv").write_text("".join(
            f"d{i}\t{words(chance.choice([1, 2, 31, 33, 128]))}\n" for i in range(DOCUMENTS)))
        (cls.folder / "queries.tsv").write_text("".join(
            f"q{i}\t{words(chance.choice([0, 1, 2, 3, 8]))}\n" for i in range(129)))
        warpdex("index", "--input", cls.folder / "docs.tsv", "--format", "tsv", "--positions",
                "--output", cls.folder / "one")
        for parts in (1, 4, 7):
            warpdex("split", cls.folder / "one", "--into", parts, "--output",
                    cls.folder / f"in{parts}")

    def test_gpus(self):
        if '"devices":[]' in warpdex("devices", "--json", "-"):
            self.skipTest("there is no GPU")
        one = warpdex("search", self.folder / "one", "--queries", self.folder / "queries.tsv")
        for ranks in (1, 2, 4):
            found = self.search(ranks, "in4", "--device", "gpu")
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertEqual(found.stdout, one)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def search(self, ranks, parts, *options):
        return mpirun(ranks, "search", self.folder / parts, "--queries",
                      self.folder / "queries.tsv", *options)

    def assert_fails(self, done, status, sentence):
        self.assertEqual(status, done.returncode, done.stderr)
        ours = [line for line in done.stderr.splitlines() if line.startswith("warpdex")]
        self.assertEqual(1, len(ours), done.stderr)
        self.assertIn(sentence, ours[0])
        self.assertEqual("", done.stdout.strip())

    def test_answers_are_those_of_one_index(self):
        found = 0
        for ranks, parts, options in (
                (4, 4, ()), (4, 4, ("--mode", "and", "-k", 1)), (4, 7, ("-k", 33)),
                (4, 7, ("--mode", "and-or", "-k", 1000)), (4, 1, ()), (1, 7, ("-k", 127)),
                (3, 7, ("--scorer", "qld", "--threads", 2)),
                (4, 7, ("--count", "--output-format", "json")),
                (2, 4, ("--query-syntax", "signed", "--mode", "and"))):
            with self.subTest(ranks=ranks, parts=parts, options=options):
                expected = warpdex("search", self.folder / "one", "--queries",
                                   self.folder / "queries.tsv", *options)
                done = self.search(ranks, f"in{parts}", *options)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(expected, done.stdout)
                found += len(expected.splitlines())
        self.assertGreater(found, 5000)

    def test_signs_of_the_syntax_are_read(self):
        (self.folder / "signed.tsv").write_text('1\t"w1 w2"\n2\t+w1 -w2 w3^2.5\n3\t-w1 w9\n')
        options = "--queries", self.folder / "signed.tsv", "--query-syntax", "signed"
        expected = warpdex("search", self.folder / "one", *options)
        self.assertGreater(len(expected.splitlines()), 20)
        self.assertEqual(expected, mpirun(4, "search", self.folder / "in4", *options).stdout)

    def test_a_file_of_answers(self):
        done = self.search(4, "in4", "--output", self.folder / "run.txt")
        self.assertRegex(done.stdout, r"^129 queries in .* s: 4 parts on 4 ranks\n$")
        self.assertEqual(warpdex("search", self.folder / "one", "--queries",
                                 self.folder / "queries.tsv"),
                         (self.folder / "run.txt").read_text())

    def test_a_missing_part(self):
        shutil.copytree(self.folder / "in7", self.folder / "gap")
        shutil.rmtree(self.folder / "gap" / "part-2")
        self.assert_fails(self.search(4, "gap"), 1, "part 2: ")
        self.assert_fails(self.search(4, "nothing"), 1, "there are no parts in")

    def test_a_damaged_part(self):
        shutil.copytree(self.folder / "in4", self.folder / "damaged")
        for file in (self.folder / "damaged" / "part-3").rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes()[:10])
        self.assert_fails(self.search(4, "damaged"), 1, "part 3: ")

    def test_wrong_calls(self):
        self.assert_fails(self.search(4, "in4", "-k", 0), 2, "-k")
        self.assert_fails(self.search(4, "in4", "--count"), 2, "--count")
        self.assert_fails(mpirun(4, "search", self.folder / "in4"), 2, "--queries")
        self.assert_fails(mpirun(4, "find"), 2, "find")
        (self.folder / "bad.tsv").write_text("a\tw1\nb\t+w1^0\n")
        self.assert_fails(mpirun(4, "search", self.folder / "in4", "--query-syntax", "signed",
                                 "--queries", self.folder / "bad.tsv"), 1, "query b: ")

    def test_a_rank_that_dies(self):
        """Rank 3 is killed while rank 0 waits for queries that never come."""
        kill_rank_3 = ('test "$OMPI_COMM_WORLD_RANK" != 3 || (sleep 2; kill -9 $$) & '
                       'exec "$0" "$@"')
        reads, writes = os.pipe()
        try:
            done = mpirun(4, "search", self.folder / "in4", "--queries", "-", "--output",
                          self.folder / "none.txt", under=("sh", "-c", kill_rank_3), stdin=reads)
        finally:
            os.close(reads)
            os.close(writes)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("rank 3", done.stderr)
        self.assertFalse((self.folder / "none.txt").exists())

    def test_a_signal_between_batches(self):
        """Rank 0 has SIGTERM once its file of answers is begun: it ends all, and leaves no file."""
        (self.folder / "out").mkdir()
        with open(self.folder / "many.tsv", "w", encoding="utf-8") as many:
            for i in range(60_000):
                many.write(f"q{i}\tw1 w{i % 200} w{i % 7} w{i % 31}\n")
        end_rank_0 = (f'test "$OMPI_COMM_WORLD_RANK" != 0 || '
                      f'(until ls "{self.folder}/out" | grep -q .; do sleep 0.01; done; '
                      f'kill -TERM $$) & exec "$0" "$@"')
        done = mpirun(2, "search", self.folder / "in4", "--queries", self.folder / "many.tsv",
                      "--output", self.folder / "out" / "run.txt", under=("sh", "-c", end_rank_0))
        self.assert_fails(done, 128 + signal.SIGTERM, "interrupted")
        self.assertEqual([], os.listdir(self.folder / "out"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
