"""The commands of docs/server.md work as they stand there, one after the other, over a server of the
folder that they make; the page names each route's parameters; and the search page's colours can be
told apart.
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
            if parameter["name"] == "query":  # an object, of which an address has the text
                self.assertEqual({"type": "string"}, parameter["schema"])
                continue
            self.assertEqual(properties[parameter["name"]],
                             parameter["schema"] | {"description": parameter["description"]})


class Colours(unittest.TestCase):
    """Contrasts that WCAG 2.1 AA asks for: 4.5 of text, 3 of the edges of what can be used."""

    def colours(self):
        """The light and the dark ones, by name."""
        css = (serving.SOURCE / "server/page/page.css").read_text("utf-8")
        found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", css)
        return [{name: pair[theme] for name, *pair in found} for theme in range(2)]

    def luminance(self, colour):
        parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
                  for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(self, one, other):
        dark, light = sorted((self.luminance(one), self.luminance(other)))
        return (light + 0.05) / (dark + 0.05)

    def test_contrast(self):
        self.assertAlmostEqual(21, self.contrast("#000000", "#ffffff"))
        for colours in self.colours():
            for back in ("back", "raised"):
                for front in ("text", "quiet", "accent", "bad"):
                    self.assertGreaterEqual(self.contrast(colours[front], colours[back]), 4.5)
                self.assertGreaterEqual(self.contrast(colours["edge"], colours[back]), 3)
                self.assertGreaterEqual(self.contrast(colours["bar"], colours[back]), 3)
            self.assertGreaterEqual(self.contrast(colours["text"], colours["marked"]), 4.5)
            self.assertGreaterEqual(self.contrast(colours["on-accent"], colours["accent"]), 4.5)


if __name__ == "__main__":
    serving.run()
