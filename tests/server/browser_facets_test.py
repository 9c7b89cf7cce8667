"""The page at "/" over an index with columns, in headless Chromium: filters, facets, ranges, order,
phrases, against plain loops over the documents.
Run as: browser_facets_test.py SOURCE_FOLDER WARPDEX"""

import json

import browsing
import serving

try:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    pass  # browsing.run() says so

SCHEMA = {"fields": {"lang": {"type": "keyword", "multiple": True}, "year": {"type": "int"},
                     "price": {"type": "float"}, "added": {"type": "date"},
                     "draft": {"type": "bool"}}}
LANGUAGES = ["de", "en", 'quoted "fr"\\', "it & <b>es</b>"]


def film(generator, number):
    made = {"id": f"f{number}", "body": "old ship " + serving.words(generator, 1 + number % 9),
            "price": generator.randrange(40) / 4, "draft": generator.random() < .3,
            "added": f"20{10 + generator.randrange(10)}-0{1 + generator.randrange(9)}-15"}
    if generator.random() < .9:
        made["lang"] = generator.sample(LANGUAGES, 1 + generator.randrange(3))
    if generator.random() < .9:
        made["year"] = 1990 + generator.randrange(9)
    return made


class Facets(browsing.Browser):
    @classmethod
    def build(cls):
        super().build()
        cls.films = [film(cls.random, i) for i in range(150)]
        schema = cls.root.parent / f"{cls.root.name}.json"
        schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
        serving.program("index", "--input", "-", "--format", "jsonl", "--fields", "body", "--store",
                        "body", "--schema", schema, "--positions", "--analyzer", "whitespace",
                        "--output", cls.root / "films", "--quiet",
                        input="".join(json.dumps(film) + "\n" for film in cls.films))

    def setUp(self):
        self.browser.set_window_size(1200, 900)  # wide: facets are open
        super().setUp()
        self.open("?index=films&q=ship&k=50")
        self.wait_for_count(len(self.films))

    def wait_for_count(self, count):
        text = f" of {count} match" if count else "No document matches"
        self.wait(lambda: not self.one("main[aria-busy]") and text in self.one("#status").text)

    def counts(self, name):
        """What the page shows of a column: values and how many documents have them."""
        return dict(self.script("""
            const panel = [...document.querySelectorAll('.facet')].find(
                (one) => one.querySelector('legend').textContent === arguments[0]);
            return [...panel.querySelectorAll('label')].map((label) => [
                label.querySelector('.value').textContent,
                Number(label.querySelector('.number').textContent)]);""", name))

    def choose(self, key):
        [box] = [box for box in self.all("[data-key]") if box.get_attribute("data-key") == key]
        box.click()

    def wanted_counts(self, films, name):
        found = {}
        for film in films:
            values = film.get(name, [])
            for value in values if isinstance(values, list) else [values]:
                text = json.dumps(value) if isinstance(value, (bool, int)) else value
                found[text] = found.get(text, 0) + 1
        return found

    def test_values_become_filters(self):
        self.assertEqual(["lang", "year", "price", "added", "draft"], self.texts_of(".facet legend"))
        self.assertEqual(self.wanted_counts(self.films, "lang"), self.counts("lang"))
        self.assertEqual(self.wanted_counts(self.films, "year"), self.counts("year"))
        chosen = LANGUAGES[2]
        self.choose(f"lang={chosen}")
        some = [film for film in self.films if chosen in film.get("lang", [])]
        self.wait_for_count(len(some))
        self.assertEqual(self.wanted_counts(self.films, "lang"), self.counts("lang"),
                         "others can still be added")
        self.assertEqual(self.wanted_counts(some, "draft"), self.counts("draft"))
        self.assertEqual(f"lang={chosen}", self.script("return document.activeElement.dataset.key"))
        self.choose(f"lang={LANGUAGES[3]}")
        some = [film for film in self.films if set(LANGUAGES[2:]) & set(film.get("lang", []))]
        self.wait_for_count(len(some))
        self.choose("draft=true")
        some = [film for film in some if film["draft"]]
        self.wait_for_count(len(some))
        self.assertEqual(sorted(film["id"] for film in some), sorted(self.shown()))
        self.assertEqual({"lang": {"values": LANGUAGES[2:]}, "draft": {"values": ["true"]}},
                         json.loads(self.state()["filters"]))
        self.browser.refresh()
        self.wait_for_count(len(some))
        self.assertEqual(2, len(self.all("#filters button")))
        self.all("#filters button")[0].click()
        self.wait_for_count(sum(film["draft"] for film in self.films))
        self.browser.back()
        self.wait_for_count(len(some))
        Select(self.one("#index")).select_by_value("texts")
        self.wait(lambda: not self.all(".facet") and not self.all("#filters button"))
        self.assertNotIn("filters", self.state())
        self.assertIsNone(self.script("return window.harm ?? null"))

    def set_range(self, name, lower, upper, upper_name="to"):
        for what, value in (("from", lower), (upper_name, upper)):
            self.script("arguments[0].value = arguments[1]",
                        self.one(f'[data-key="{name} {what}"]'), value)
        self.one(f'[data-key="{name} from"]').send_keys(Keys.ENTER)

    def test_ranges(self):
        self.assertEqual(str(min(film["price"] for film in self.films)),
                         str(float(self.one('[data-key="price from"]').get_attribute("placeholder"))))
        self.set_range("price", "2.5", "6")
        some = [film for film in self.films if 2.5 <= film["price"] <= 6]
        self.wait_for_count(len(some))
        self.set_range("added", "2012-03-15", "2016-03-15", "before")
        some = [film for film in some if "2012-03-15" <= film["added"] < "2016-03-15"]
        self.wait_for_count(len(some))
        self.assertEqual(["price: from 2.5 to 6 ×", "added: from 2012-03-15 before 2016-03-15 ×"],
                         self.texts_of("#filters button"))
        self.set_range("price", "", "")
        self.wait_for_count(len([film for film in self.films
                                 if "2012-03-15" <= film["added"] < "2016-03-15"]))
        self.set_range("year", "3000", "")
        self.wait_for_count(0)
        self.assertEqual("3000", self.one('[data-key="year from"]').get_property("value"))

    def test_order_and_pages(self):
        Select(self.one("#sort")).select_by_value("price:desc")
        ordered = sorted(self.films, key=lambda film: -film["price"])
        self.wait(lambda: not self.one("main[aria-busy]") and
                  self.state().get("sort") == "price:desc")

        def prices():
            found = {film["id"]: film["price"] for film in self.films}
            return [found[id] for id in self.shown()]
        self.wait(lambda: prices() == [film["price"] for film in ordered[:50]])
        first = self.shown()
        for page in (2, 3):
            self.one("#next").click()
            self.wait(lambda: self.one("#page").text == f"Page {page}")
            self.assertEqual([film["price"] for film in ordered[50 * page - 50:50 * page]],
                             prices())
            self.assertFalse(set(first) & set(self.shown()))
        self.assertFalse(self.one("#next").is_enabled())
        self.all(".open")[0].click()
        self.wait(lambda: self.one(".opened table"))

    def test_phrases_are_marked_as_wholes(self):
        Select(self.one("#query-syntax")).select_by_value("lucene")
        self.type('"old ship"')
        self.wait(lambda: "old ship" in self.texts_of("mark"))
        self.assertEqual({"old ship"}, set(self.texts_of("mark")))
        self.type("w1*")
        self.wait(lambda: "w1" in "".join(self.texts_of("mark")))
        self.assertTrue(all(text.startswith("w1") for text in self.texts_of("mark")))
        self.assertEqual("lucene", self.state()["syntax"])

    def test_an_error_leaves_the_filters_to_take_away(self):
        self.open("?index=films&q=ship&filters=" + json.dumps({"year": {"from": "x", "to": ""}}))
        self.wait(lambda: self.one("#error").text.startswith("400: "))
        self.one("#filters button").click()
        self.wait_for_count(len(self.films))
        for wrong in ("x", "[]", "null", '{"year": 3}', '{"year": {"values": []}}'):
            self.open(f"?index=films&q=ship&filters={wrong}")
            self.wait_for_count(len(self.films))

    def test_the_keyboard_and_narrow_screens(self):
        self.one('[data-key="draft=true"]').send_keys(Keys.SPACE)
        self.wait_for_count(sum(film["draft"] for film in self.films))
        self.assertEqual([], self.script("""
            return [...document.querySelectorAll('input, select, button')].filter((one) =>
                !one.labels?.length && !one.textContent.trim() && !one.ariaLabel)
                .map((one) => one.outerHTML)"""))
        for width in (320, 360, 768, 1280):
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
            self.script("document.getElementById('side-open').open = true")
            wide = self.script("return document.documentElement.scrollWidth")
            self.assertLessEqual(wide, width, "nothing is beside the screen")
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


if __name__ == "__main__":
    browsing.run()
