"""The commands of docs/server.md work as they stand there, one after the other, over a server of the
folder that they make; and the page names each route's parameters.
Run as: page_test.py SOURCE_FOLDER WARPDEX"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import serving


class Page(unittest.TestCase):
    def setUp(self):
        self.text = (serving.SOURCE / "docs/server.md").read_text("utf-8")

    def run_block(self, block, folder):
        path = f"{Path(serving.PROGRAM).resolve().parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, text=True,
                              env=dict(os.environ, PATH=path), capture_output=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr), block)
        return done.stdout

    def test_commands(self):
        blocks = re.findall(r"^```sh\n(.*?)^```$", self.text, flags=re.M | re.S)
        served = [block for block in blocks if "warpdex serve" in block]
        self.assertEqual(["warpdex serve indexes &\n"], served)
        self.assertGreater(len(re.findall(r"^ *curl ", "".join(blocks), flags=re.M)), 10)
        server = None
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks:
                if block in served:
                    server = serving.Served(Path(folder) / "indexes")
                    continue
                if server is not None:
                    block = block.replace("127.0.0.1:7700", f"127.0.0.1:{server.port}")
                output = self.run_block(block, folder)
                self.assertNotIn('"error"', output, block)
                if "&k=3" in block:
                    first = json.loads(output.splitlines()[0])
                    self.assertEqual(["treasure"], [hit["document"] for hit in first["hits"]])
            self.assertEqual(0, server.end())

    def test_each_parameter_of_a_search_is_named(self):
        described = json.loads((serving.SOURCE / "server/system/openapi.json").read_text("utf-8"))
        for name in described["components"]["schemas"]["Search"]["properties"]:
            self.assertIn(f"`{name}`", self.text)
        for parameter in described["paths"]["/v1/{index}/search"]["get"]["parameters"]:
            properties = described["components"]["schemas"]["Search"]["properties"]
            self.assertEqual(properties[parameter["name"]],
                             parameter["schema"] | {"description": parameter["description"]})


if __name__ == "__main__":
    serving.run()
