"""A headless Chromium at the page of a server, for tests."""

import os
import shutil
import sys
from urllib.parse import parse_qs, urlsplit

import serving

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
    HAS_SELENIUM = True
except ImportError:
    HAS_SELENIUM = False

DEBIANS_PYTHON = "/usr/bin/python3"  # what python3-selenium is installed for
SCRIPT = "<script>window.harm=1</script>"
IMAGE = '"><img/src=x/onerror="window.harm=1">'  # ids have no spaces
EVIL_ID = SCRIPT + IMAGE
CONTENT = "evilword " + IMAGE + " &lt;b&gt; &amp; <em>evilword</em> " + SCRIPT



def what_is_missing():
    """A Debian package that this needs, or none."""
    if not HAS_SELENIUM:
        return "python3-selenium"
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if not shutil.which(program):
            return package
    return None


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Browser(serving.ServerTest):
    """A browser at the page of the server; each test begins at "/"."""

    @classmethod
    def build(cls):
        cls.texts += [{"id": EVIL_ID, "title": "evilword " + SCRIPT + IMAGE, "body": CONTENT}]
        serving.build_index(cls.root / "texts", cls.texts)
        serving.build_index(cls.root / "other", [
            {"id": "only", "title": "lantern", "body": "lantern w1"}])

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.browser = open_browser()
        except BaseException:
            super().tearDownClass()
            raise
        cls.root_address = f"http://127.0.0.1:{cls.server.port}/"

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        super().tearDownClass()

    def setUp(self):
        self.open("")
        self.browser.execute_script("sessionStorage.clear(); localStorage.clear()")
        self.open("?index=texts")

    def open(self, rest):
        self.browser.get(self.root_address + rest)
        self.wait(lambda: self.one("#index option") or self.one("#error").text)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return next(iter(self.all(selector)), None)

    def wait(self, holds):
        return WebDriverWait(self.browser, 20, poll_frequency=0.05).until(lambda _: holds())

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def texts_of(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])]"
                           ".map((one) => one.textContent)", selector)

    def type(self, query):
        box = self.one("#q")
        box.clear()
        box.send_keys(query, Keys.ENTER)

    def press(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def shown(self):
        """The ids of the hits that are shown."""
        return self.script("return [...document.querySelectorAll('#hits > li')].map((hit) =>"
                           "(hit.querySelector('.id') ?? hit.querySelector('.open')).textContent)")

    def wanted(self, query, index="texts", **more):
        return [hit["document"] for hit in self.ask(
            "POST", f"/v1/{index}/search", {"q": query, **more}).json()["hits"]]

    def wait_for_hits(self, ids):
        self.assertTrue(ids)
        self.wait(lambda: self.shown() == ids)

    def state(self):
        return {name: values[0] for name, values in
                parse_qs(urlsplit(self.browser.current_url).query).items()}


def run():
    """As serving.run(), by a Python that has selenium; exits with 77 where something is missing."""
    if not HAS_SELENIUM and os.path.exists(DEBIANS_PYTHON) and \
            os.path.realpath(sys.executable) != os.path.realpath(DEBIANS_PYTHON):
        os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON, *sys.argv])
    if what_is_missing():
        print(f"skipped: Debian's {what_is_missing()} is not here", file=sys.stderr)
        sys.exit(77)
    serving.run()
