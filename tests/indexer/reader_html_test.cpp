// The HTML reader.
#include <gmock/gmock.h>

#include "readers/html_document.hpp"
#include "tests/indexer/reader_support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::test::reading {
namespace {

using ::testing::HasSubstr;

std::string text_of(const std::string& html) { return read_html(html).text; }

TEST(HtmlReader, TakesTitleAndShownText) {
  const HtmlPage page = read_html(
      "<!DOCTYPE html><html><head><title> A &amp;\n B</title><meta charset=\"latin1\">"
      "<style>p { color: red }</style><script>if (a < b) x('</p>')</script></head>"
      "<body><p>Hel<b>lo</b> w&ouml;rld &#233;&#xe9; café<br>two<!-- no --><div>three</div>four"
      "<table><tr><td>a<td>b</table><template>no</template><SCRIPT>no</SCRIPT> 1 < 2 &bogus;");
  EXPECT_EQ(page.title, "A & B");
  EXPECT_EQ(page.text, "Hello wörld éé café\ntwo\nthree\nfour\na\nb\n1 < 2 &bogus;");
}

TEST(HtmlReader, TakesWhatIsNoHtml) {
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("plain text"), "plain text");
  EXPECT_EQ(text_of("<p>a</b></i>b</p></p>c"), "ab\nc");
  EXPECT_EQ(text_of("<"), "<");
  EXPECT_EQ(read_html("<title>only").title, "only");
}

TEST(HtmlReader, RefusesElementsThatAreNestedTooDeep) {
  std::string deep;
  for (int i = 0; i < 500; ++i) deep += "<div>";
  EXPECT_EQ(text_of(deep + "x"), "x");
  for (int i = 0; i < 100'000; ++i) deep += "<span>";
  for (int i = 0; i < 100'000; ++i) deep += "</b>";
  EXPECT_THROW(read_html(deep), InputError);
}

TEST(HtmlReader, MakesADocumentOfEachFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "site");
  write_file(folder / "site/a.html", "<title>One</title><p>sea");
  write_file(folder / "site/b.html", "caf\xE9");
  write_file(folder / "site/c.html", "\xEF\xBB\xBF<p>no title");
  const Collection collection = read_collection(
      {.format = DocumentFormat::kHtml, .inputs = {folder / "site"}, .stored = {"title", "text"}});
  ASSERT_EQ(collection.documents.size(), 2U);
  EXPECT_EQ(collection.documents[0].id, "a.html");
  EXPECT_EQ(collection.documents[0].text, "One\nsea");
  EXPECT_EQ(collection.documents[0].stored[0], "One");
  EXPECT_EQ(collection.documents[0].stored[1], "One\nsea");
  EXPECT_EQ(collection.documents[1].text, "no title");
  ASSERT_EQ(collection.bad.size(), 1U);
  EXPECT_THAT(collection.bad[0], HasSubstr("b.html:1"));
}

// Words between random tags come back in their order.
TEST(HtmlReader, KeepsTheWordsBetweenRandomTags) {
  std::mt19937_64 random = generator(151);
  for (int round = 0; round < 300; ++round) {
    std::string html;
    std::string expected;
    for (int i = 0; i < 20; ++i) {
      html += std::array{"<p>",  "<div>", "</div>", "<ul><li>",
                         "</x>", "<h1>",  "<br/>",  "<img alt='x'>"}[random() % 8];
      const std::string word = "w" + std::to_string(random() % 1000);
      html += word;
      expected += word;
    }
    std::string found = text_of(html);
    std::erase(found, '\n');
    EXPECT_EQ(found, expected) << html;
  }
}

}  // namespace
}  // namespace warpdex::test::reading
