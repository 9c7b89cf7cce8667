"""The page at "/", in headless Chromium: searches, pages, explanations, the keyboard, the history,
spelling, colours, what a screen reader needs.
Run as: browser_test.py SOURCE_FOLDER WARPDEX"""

import json
import re

import browsing

try:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    pass  # browsing.run() says so


class Searches(browsing.Browser):
    def test_an_answer_is_the_servers(self):
        self.type("w0 w1 w7")
        self.wait_for_hits(self.wanted("w0 w1 w7"))
        answer = self.ask("POST", "/v1/texts/search", {
            "q": "w0 w1 w7", "count": True, "fields": ["title", "body"]}).json()
        status = self.one("#status").text
        self.assertRegex(status, rf"^1–10 of {answer['matches']} matches · [\d.]+ ms on CPU\.$")
        told = json.loads(self.texts_of("#answer")[0])
        self.assertEqual(answer["hits"], told["hits"])
        for hit, score, body in zip(answer["hits"], self.texts_of(".score"),
                                    self.script("return [...document.querySelectorAll('.field')]"
                                                ".map((one) => one.innerHTML)")):
            self.assertAlmostEqual(hit["score"], float(score.removeprefix("score ")), 3)
            self.assertEqual(re.findall("<em>(.*?)</em>", hit["snippets"]["body"]),
                             re.findall("<mark>(.*?)</mark>", body))
        self.assertEqual("w0 w1 w7 – Warpdex", self.browser.title)
        self.one("#count").click()
        self.wait(lambda: self.one("#status").text.startswith("1–10 of at least"))
        self.assertEqual("false", self.state()["count"])

    def test_pages(self):
        self.type("w1 w2")
        first = self.wanted("w1 w2")
        self.wait_for_hits(first)
        self.assertFalse(self.one("#previous").is_enabled())
        self.one("#next").click()
        self.wait_for_hits(self.wanted("w1 w2", **{"from": 10}))
        self.assertEqual("2", self.state()["page"])
        self.assertIn("11–20 of", self.one("#status").text)
        self.one("#previous").click()
        self.wait_for_hits(first)
        counted = self.ask("POST", "/v1/texts/search", {"q": "w40", "count": True}).json()
        last = (counted["matches"] - 1) // 10 + 1
        self.open(f"?index=texts&q=w40&page={last}")
        self.wait_for_hits(self.wanted("w40", **{"from": 10 * (last - 1)}))
        self.assertFalse(self.one("#next") and self.one("#next").is_enabled())

    def test_index_mode_page_length_and_fields(self):
        query = " ".join(self.texts[39]["body"].split()[:3])
        self.type(query)
        self.wait_for_hits(self.wanted(query))
        Select(self.one("#mode")).select_by_value("and")
        self.wait_for_hits(self.wanted(query, mode="and"))
        self.assertEqual("and", self.state()["mode"])
        Select(self.one("#k")).select_by_value("20")
        self.wait(lambda: self.state().get("k") == "20")
        self.one("#fields input[value=title]").click()
        self.wait(lambda: self.state().get("fields") == "body" and not self.all(".id"))
        Select(self.one("#index")).select_by_value("other")
        self.wait(lambda: self.state()["index"] == "other")
        self.type("lantern")
        self.wait_for_hits(["only"])
        self.assertIn("1 document ", self.one("#about").text)

    def test_the_history(self):
        self.type("w3")
        self.wait_for_hits(self.wanted("w3"))
        self.type("w4 w5")
        self.wait_for_hits(self.wanted("w4 w5"))
        self.browser.back()
        self.wait_for_hits(self.wanted("w3"))
        self.assertEqual("w3", self.one("#q").get_property("value"))
        self.browser.forward()
        self.wait_for_hits(self.wanted("w4 w5"))
        self.browser.refresh()
        self.wait_for_hits(self.wanted("w4 w5"))

    def test_an_explanation(self):
        self.type("w1 w20 w40")
        ids = self.wanted("w1 w20 w40")
        self.wait_for_hits(ids)
        button = self.all(".open")[1]
        button.click()
        self.wait(lambda: self.one(".opened table"))
        self.assertEqual("true", button.get_attribute("aria-expanded"))
        explanation = self.ask("POST", "/v1/texts/search", {
            "q": "w1 w20 w40", "explain": True}).json()["hits"][1]["explanation"]
        self.assertEqual([term["term"] for term in explanation["terms"]],
                         self.texts_of(".opened tbody th"))
        largest = max(term["score"] for term in explanation["terms"])
        widths = self.script("return [...document.querySelectorAll('.bar')].map((bar) =>"
                             "bar.getBoundingClientRect().width / bar.parentElement.clientWidth)")
        inner = max(widths)
        self.assertEqual(len(explanation["terms"]), len(widths))
        for term, width in zip(explanation["terms"], widths):
            self.assertAlmostEqual(term["score"] / largest, width / inner, 1)
        text = next(text for text in self.texts if text["id"] == ids[1])
        self.assertEqual([f"title: {text['title']}", f"body: {text['body']}"],
                         self.texts_of(".whole .field"))
        button.click()
        self.wait(lambda: not self.all(".opened"))

    def test_the_keyboard(self):
        self.type("w1 w2")
        ids = self.wanted("w1 w2")
        self.wait_for_hits(ids)

        def focused():
            return self.script("const hit = document.activeElement.closest('#hits > li');"
                               "return hit ? hit.querySelector('.id').textContent : "
                               "document.activeElement.id")
        for key, place in ((Keys.ARROW_DOWN, ids[0]), ("j", ids[1]), (Keys.ARROW_DOWN, ids[2]),
                           ("k", ids[1]), (Keys.ARROW_UP, ids[0]), ("k", "q")):
            self.press(key)
            self.assertEqual(place, focused(), key)
        self.press("j")
        self.assertEqual("w1 w2j", self.one("#q").get_property("value"), "letters are typed there")
        self.press(Keys.BACKSPACE, Keys.ARROW_DOWN, Keys.ENTER)
        self.wait(lambda: self.one(".opened table"))
        self.press("/")
        self.assertEqual("q", focused())
        self.assertEqual("w1 w2", self.one("#q").get_property("value"))
        self.press("w3", Keys.ENTER)  # in the place of what was there
        self.wait_for_hits(self.wanted("w3"))

    def test_spelling_offers(self):
        self.type("+lanterm^2 w1")
        self.wait(lambda: "No document" in self.one("#status").text)
        Select(self.one("#index")).select_by_value("other")
        offer = self.wait(lambda: self.one("#offers button"))
        self.assertEqual("lantern", offer.text)
        self.assertEqual("No document has lanterm. Did you mean lantern ?".replace(" ", ""),
                         self.one("#offers").text.replace(" ", "").replace("\n", ""))
        offer.click()
        self.wait_for_hits(["only"])
        self.assertEqual("+lantern^2 w1", self.one("#q").get_property("value"))

    def test_errors_are_told(self):
        self.type("w1^x^2e99")
        self.wait(lambda: self.one("#error").text.startswith("400: "))
        self.assertEqual("alert", self.one("#error").get_attribute("role"))
        self.type("w1")
        self.wait_for_hits(self.wanted("w1"))
        self.assertEqual("", self.one("#error").text)
        self.type("nosuchwordatall")
        self.wait(lambda: self.one("#status").text.startswith("No document matches"))

    def test_themes(self):
        def background():
            return self.script("return getComputedStyle(document.body).backgroundColor")
        seen = {}
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            seen[scheme] = background()
        self.assertNotEqual(seen["light"], seen["dark"])
        for theme in ("light", "dark"):
            self.one("#theme").click()
            self.assertEqual(f"Theme: {theme}", self.one("#theme").text)
            self.assertEqual(seen[theme], background())
        self.browser.refresh()
        self.assertEqual(seen["dark"], background())
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_what_a_screen_reader_needs(self):
        self.type("w1")
        self.wait_for_hits(self.wanted("w1"))
        self.assertEqual([], self.script("""
            return [...document.querySelectorAll('input, select, button')].filter((one) =>
                !one.labels?.length && !one.textContent.trim()).map((one) => one.outerHTML)"""))
        for selector in ("main", "header", "form[role=search]", "h1", "[role=status]",
                         "html[lang]"):
            self.assertEqual(1, len(self.all(selector)), selector)
        for width in (320, 360, 768, 1280):
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
            wide = self.script("return document.documentElement.scrollWidth")
            self.assertLessEqual(wide, width, "nothing is beside the screen")
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


if __name__ == "__main__":
    browsing.run()
