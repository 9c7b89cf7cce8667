"""The server answers as /openapi.json says: schemathesis makes up requests from that document,
right ones and wrong ones, with keys and without. Every status of success that is stated is seen.
Run as: schema_test.py SOURCE_FOLDER WARPDEX. Ends with 77, skipped, without schemathesis."""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import serving

REQUESTS = 300 if os.environ.get("WARPDEX_FULL_TESTS") else 60  # of each operation
TOOL = Path(sys.executable).parent / "schemathesis"
ADMIN = "admin-key-of-the-test"
READ = "read-key-of-the-test"
# positive_data_acceptance is left out: members depend on one another and on the index, in ways that
# a schema does not tell.
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_headers_conformance,response_schema_conformance,negative_data_rejection,"
          "unsupported_method,each_line_conforms,keys_are_needed")


class Schema(unittest.TestCase):
    def test_without_keys(self):
        self.check()

    def test_with_keys(self):
        self.check([["Authorization", "Bearer " + ADMIN], ["X-API-Key", ADMIN]] * 3 +
                   [["X-API-Key", READ], ["X-API-Key", "a-key-that-is-unknown"], [None, None]])

    def check(self, keys=()):
        seed = random.SystemRandom().randrange(2**32)
        print(f"Schema: seed {seed}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            server = serving.Served(place / "indexes", options=self.prepare(place, seed, keys))
            try:
                told = self.run_tool(server, place, seed, keys)
                stated = server.get("/openapi.json").json()["paths"]  # which the tool reads, too
            finally:
                self.assertEqual(0, server.end(), server.said)
            seen = {"GET /openapi.json 200", *(place / "answers").read_text().splitlines()}
            self.assertEqual(0, told.returncode, told.stdout[-20000:] + told.stderr[-2000:])
        self.assertEqual(set(), self.successes(stated) - seen)
        print(f"Schema: {len(self.successes(stated))} successes stated, and seen", file=sys.stderr)
        if keys:
            self.assertLessEqual({"401", "403"}, {line.split()[-1] for line in seen})

    def prepare(self, place, seed, keys):
        """Three indexes, in which few components make a vector, so that right ones come about."""
        (place / "indexes").mkdir()
        (place / "snapshots").mkdir()
        generator = random.Random(seed)
        serving.build_index(place / "indexes" / "texts", serving.documents(generator, 100))
        server = serving.Served(place / "indexes")
        self.assertEqual(201, server.ask("PUT", "/v1/living", {
            "store": ["body"], "vectors": {"dimension": 1}}).status)
        for number in range(100):
            body = {"text": serving.words(generator, 4), "vector": [number - 50.5]}
            self.assertEqual(201, server.ask("PUT", f"/v1/living/documents/d{number}", body).status)
        self.assertEqual(200, server.ask("POST", "/v1/living/commit").status)
        self.assertEqual(0, server.end())
        (place / "points.fvecs").write_bytes(struct.pack("<ififif", 1, 1.0, 1, 2.0, 1, 3.0))
        serving.program("vector", "build", "--input", place / "points.fvecs", "--output",
                        place / "indexes" / "points", "--quiet")
        options = ["--snapshots", place / "snapshots"]
        if keys:
            (place / "keys").write_text(f"admin {ADMIN}\nread {READ}\n")
            options += ["--keys", place / "keys"]
        return options

    def run_tool(self, server, place, seed, keys):
        here = str(Path(__file__).parent)
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "schema_hooks", "PYTHONPATH": here,
                       "PYTHONDONTWRITEBYTECODE": "1", "WARPDEX_KEYS": json.dumps(keys),
                       "WARPDEX_SEED": str(seed), "WARPDEX_ANSWERS": str(place / "answers")}
        return subprocess.run(
            [TOOL, "run", f"http://127.0.0.1:{server.port}/openapi.json", "--no-color",
             "--phases", "coverage,fuzzing", "--max-examples", str(REQUESTS), "--seed", str(seed),
             "--checks", CHECKS, "--continue-on-failure", "--no-shrink",
             "--generation-database", "none", "--suppress-health-check", "all"],
            cwd=place, env=environment, capture_output=True, text=True, timeout=800)

    @staticmethod
    def successes(stated):
        return {f"{method.upper()} {path} {status}"
                for path, methods in stated.items() for method, operation in methods.items()
                if method != "parameters"
                for status in operation["responses"] if status.startswith("2")}


if __name__ == "__main__":
    if not TOOL.exists():
        print("skipped: there is no schemathesis; pip install schemathesis", file=sys.stderr)
        sys.exit(77)
    serving.run()
