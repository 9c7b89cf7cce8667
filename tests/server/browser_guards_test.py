"""The page at "/", in headless Chromium: texts of documents stay texts, the policy is in force,
pages of other origins neither read nor write, keys.
Run as: browser_guards_test.py SOURCE_FOLDER WARPDEX"""

import functools
import http.server
import tempfile
import threading
from pathlib import Path

import browsing
import serving

try:
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass  # browsing.run() says so

KEY = "reading-key-0123456789"


class Guards(browsing.Browser):
    def test_texts_of_documents_stay_texts(self):
        self.browser.get_log("browser")
        self.type("evilword")
        self.wait_for_hits([browsing.EVIL_ID])
        self.assertEqual(["evilword " + browsing.EVIL_ID], self.texts_of(".open"))
        self.assertEqual(["body: " + browsing.CONTENT], self.texts_of("#hits > li > .field"))
        self.assertEqual(["evilword", "evilword"], self.texts_of("mark"))
        self.one(".open").click()
        self.wait(lambda: self.one(".opened table"))
        self.assertEqual("body: " + browsing.CONTENT, self.texts_of(".whole .field")[1])
        self.one("#json summary").click()
        self.type(browsing.EVIL_ID)
        self.wait(lambda: self.state()["q"] == browsing.EVIL_ID and self.one("#status").text)
        self.wait(lambda: not self.one("main[aria-busy]"))
        self.assertEqual([2, 1], self.script(
            "return [document.scripts.length, document.images.length]"), "the page's own")
        self.assertIsNone(self.script("return window.harm ?? null"))
        self.assertEqual([], [line for line in self.browser.get_log("browser")
                              if "Content Security" in line["message"]])

    def test_the_policy_is_in_force(self):
        answer = self.get("/", headers={"Accept": "text/html,*/*"})
        self.assertEqual(200, answer.status)
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        refused = self.browser.execute_async_script("""
            const done = arguments[0], refused = [];
            addEventListener('securitypolicyviolation', (event) =>
                refused.push(event.effectiveDirective));
            const script = document.createElement('script');
            try { script.textContent = 'window.harm = 1'; } catch { refused.push('sink'); }
            script.append('window.harm = 1');
            document.body.append(script);
            const image = document.createElement('img');
            image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
            document.body.append(image);
            try { document.body.innerHTML += '<b>'; } catch { refused.push('html'); }
            fetch('http://127.0.0.1:1/').catch(() => setTimeout(() => done(refused), 200));""")
        for directive in ("html", "img-src", "connect-src", "require-trusted-types-for"):
            self.assertIn(directive, refused)
        self.assertIsNone(self.script("return window.harm ?? null"))

    def test_programs_get_no_page(self):
        for accept in (None, "application/json", "*/*"):
            answer = self.get("/", headers={} if accept is None else {"Accept": accept})
            self.assertEqual("application/json", answer.headers["Content-Type"])
            self.assertNotIn(b"<html", answer.body)
        answer = self.get("/?q=a&index=b", headers={"Accept": "text/html"})
        self.assertEqual("text/html; charset=utf-8", answer.headers["Content-Type"])
        self.assertEqual("Accept", answer.headers["Vary"])

    def test_the_page_is_small_and_whole(self):
        files = [path for path in (serving.SOURCE / "server/page").iterdir()
                 if path.suffix in (".html", ".css", ".js", ".svg")]
        self.assertGreater(len(files), 3)
        self.assertLess(sum(path.stat().st_size for path in files), 60_000)
        loaded = self.script(
            "return performance.getEntriesByType('resource').map((one) => one.name)")
        for path in files:
            if path.suffix == ".html":
                continue
            address = f"_page/{path.name}"
            self.assertIn(self.root_address + address, loaded)
            answer = self.get("/" + address)
            self.assertEqual(path.read_bytes(), answer.body)
            self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        for name in loaded:
            self.assertTrue(name.startswith(self.root_address), name)
        self.assertEqual(404, self.get("/_page/none.js").status)

    def test_pages_of_other_origins_neither_read_nor_write(self):
        before = self.get("/v1/texts").json()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "index.html").write_text("<!doctype html><title>other</title>")
            handler = functools.partial(QuietHandler, directory=folder)
            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
                threading.Thread(target=other.serve_forever, daemon=True).start()
                self.browser.get(f"http://127.0.0.1:{other.server_address[1]}/index.html")
                told = self.browser.execute_async_script(OTHERS, self.root_address)
                other.shutdown()
        self.assertEqual({"read": "refused", "search": "refused", "write": "refused",
                          "form": "opaque", "remove": "refused", "frame": "empty",
                          "script": "refused"}, told)
        self.assertEqual(before, self.get("/v1/texts").json())
        self.assertEqual(404, self.get("/v1/texts/documents/from-elsewhere").status)


# What a page of another origin tries at arguments[0].
OTHERS = """
const root = arguments[0], done = arguments[1];
const ask = (path, options) => fetch(root + path, options).then(
    (answer) => answer.type === 'opaque' ? 'opaque' : 'read', () => 'refused');
const json = (method, body) => ({method, body, headers: {'Content-Type': 'application/json'}});
const document_ = '{"text": "w1"}';
(async () => {
  const told = {};
  told.read = await ask('v1');
  told.search = await ask('v1/texts/search', json('POST', '{"q": "w1"}'));
  told.write = await ask('v1/texts/documents/from-elsewhere?commit=true', json('PUT', document_));
  told.form = await ask('v1/texts/bulk?commit=true', {
    method: 'POST', mode: 'no-cors', body: '{"put": {"id": "from-elsewhere", "text": "w1"}}'});
  told.remove = await ask('v1/texts', {method: 'DELETE'});
  const frame = document.createElement('iframe');
  frame.src = root;
  await new Promise((loaded) => { frame.onload = loaded; document.body.append(frame); });
  try { told.frame = frame.contentDocument ? 'read' : 'empty'; } catch { told.frame = 'empty'; }
  const script = document.createElement('script');
  script.src = root + '_page/page.js';
  told.script = await new Promise((ended) => {
    script.onload = () => ended('read');
    script.onerror = () => ended('refused');
    document.head.append(script);
  });
  done(told);
})();
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Keyed(browsing.Browser):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        keys = Path(cls.place.name) / "keys"
        keys.write_text(f"read {KEY}\n")
        cls.options = ("--keys", keys)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.place.cleanup()

    def use(self, key):
        self.wait(lambda: self.one("#key").is_displayed())
        self.one("#key").clear()
        self.one("#key").send_keys(key, Keys.ENTER)

    def test_the_page_asks_for_a_key_and_keeps_it_for_the_tab(self):
        self.wait(lambda: self.one("#error").text.startswith("401"))
        self.use("wrong-key-0123456789")
        self.wait(lambda: "not known" in self.one("#error").text)
        self.use(KEY)
        self.wait(lambda: self.one("#index option"))
        self.assertFalse(self.one("#key").is_displayed())
        self.type("w1")
        self.wait(lambda: len(self.shown()) == 10)
        self.assertNotIn(KEY, self.browser.current_url + self.browser.page_source)
        self.assertEqual([KEY, 0], self.script(
            "return [sessionStorage.getItem('key'), localStorage.length + document.cookie.length]"))
        self.browser.refresh()
        self.wait(lambda: len(self.shown()) == 10)
        self.one("#key-open").click()
        self.one("#key-forget").click()
        self.wait(lambda: self.one("#error").text.startswith("401"))
        self.assertEqual(0, self.script("return sessionStorage.length"))
        self.assertEqual([], self.shown())


if __name__ == "__main__":
    browsing.run()
