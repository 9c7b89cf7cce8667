// The reader of TREC SGML.
#include "tests/indexer/reader_support.hpp"

namespace warpdex::test::reading {
namespace {

Collection read_trec(const std::string& bytes, const std::string& name = "docs.trec") {
  const TemporaryFolder folder;
  return read_bytes(folder, name, bytes, {.format = DocumentFormat::kTrec});
}

// One document around `content`, read.
std::string text_of(const std::string& content) {
  const Collection collection = read_trec("<DOC><DOCNO>1</DOCNO>" + content + "</DOC>");
  EXPECT_TRUE(collection.bad.empty()) << collection.bad.front();
  return collection.documents.empty() ? "" : collection.documents[0].text;
}

TEST(TrecReader, FindsDocumentsOnOneLineOrMany) {
  const std::string bytes =
      "<DOC>\n<DOCNO> WSJ-1 </DOCNO>\r\n<HL>Head</HL>\n<TEXT>\nline one\nline two\n</TEXT>\n"
      "</DOC>\n\n \t\n"
      "<doc><docno>2</docno>two</doc>  <Doc ><DocNo >3</DOCNO >three</DOC >\n"
      "<DOC id=\"x\" type='y'> <DOCNO\n>\n4\n</DOCNO> four</DOC><DOC>five <DOCNO>5</DOCNO></DOC>";
  const std::vector<Document> expected{{"WSJ-1", "Head \n \nline one\nline two"},
                                       {"2", "two"},
                                       {"3", "three"},
                                       {"4", "four"},
                                       {"5", "five"}};
  for (const std::string& suffix : kSuffixes) {
    expect_documents(read_trec(pack(bytes, suffix), "docs" + suffix), expected);
  }
  for (const std::string empty : {"", "\n", " \r\n\n", "\xEF\xBB\xBF"}) {
    expect_documents(read_trec(empty), {});
  }
  expect_documents(read_trec("\xEF\xBB\xBF<DOC><DOCNO>1</DOCNO></DOC>"), {{"1", ""}});
}

TEST(TrecReader, TakesTheTextOutOfTheMarkup) {
  EXPECT_EQ(text_of("a<b>b</b>c"), "a b c");
  EXPECT_EQ(text_of("<DOCHDR>http://x <b> y</DOCHDR>page"), "page");
  EXPECT_EQ(text_of("a <!-- <DOCNO>7</DOCNO> -- > --> b"), "a   b");
  EXPECT_EQ(text_of("1 < 2 > 0 and a<3 & b"), "1 < 2 > 0 and a<3 & b");
  EXPECT_EQ(text_of("x <y and <i>z</i>"), "x <y and  z");
  EXPECT_EQ(text_of("a <!-- b"), "a <!-- b");
  EXPECT_EQ(text_of("a <img\nsrc='x'\n> b"), "a   b");
  EXPECT_EQ(text_of("AT&amp;T &lt;b&gt; &quot;&apos;"), "AT&T <b> \"'");
  EXPECT_EQ(text_of("&#65;&#233;&#x1F600;&#X41;"),
            "A\xC3\xA9\xF0\x9F\x98\x80"
            "A");
  EXPECT_EQ(
      text_of("&hyph; &; & &amp &#; &#x; &#0; &#xD800; &#1114112; &#99999999999; &#6a; &amp;lt;"),
      "&hyph; &; & &amp &#; &#x; &#0; &#xD800; &#1114112; &#99999999999; &#6a; &lt;");
  EXPECT_EQ(text_of("caf&eacute; &Eacute;&szlig;&scaron;&amacr;&hyphen;&sect;&euro;&nbsp;&fjlig;"),
            "caf\u00E9 \u00C9\u00DF\u0161\u0101\u2010\u00A7\u20AC\u00A0fj");
  EXPECT_EQ(text_of("&eacute &EACUTE; &eacutes; &amp;eacute; a&CounterClockwiseContourIntegral;b"),
            "&eacute &EACUTE; &eacutes; &eacute; a\u2233b");
  EXPECT_EQ(text_of("<DOCNOTE>kept</DOCNOTE> <DOCS>too</DOCS>"), "kept   too");
}

TEST(TrecReader, SaysWhatIsWrongAndGoesOn) {
  const std::string good = "<DOC><DOCNO>1</DOCNO>x</DOC>\n";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"<DOC>x</DOC>", "no <DOCNO>"},
      {"<DOC><DOCNO> </DOCNO>x</DOC>", "id is empty"},
      {"<DOC><DOCNO>a b</DOCNO>x</DOC>", "white space"},
      {"<DOC><DOCNO>1</DOCNO><DOCNO>2</DOCNO>x</DOC>", "two <DOCNO>"},
      {"<DOC><DOCNO>1</DOC>", "<docno> that never closes"},
      {"<DOC><DOCNO>1</DOCNO><DOCHDR>x</DOC>", "<dochdr> that never closes"},
      {"<DOC><DOCNO>1</DOCNO>caf\xE9</DOC>", "LATIN1"},
      {"<DOC><DOCNO>1</DOCNO>\x01\xE9</DOC>", "binary"},
      {std::string("<DOC><DOCNO>1</DOCNO>\0</DOC>", 28), "NUL"},
      {"<DOC><DOCNO>1</DOCNO>never closed", "not closed"},
      {"stray", "outside of <DOC> ... </DOC>, from 'stray'"},
      {"</DOC>", "outside"},
      {"<DOC", "outside"},
  };
  std::string bytes;
  for (const auto& [line, reason] : bad) bytes += good + "\n" + line + "\n";
  bytes += "  " + good;
  const Collection collection = read_trec(bytes);
  EXPECT_EQ(collection.documents.size(), bad.size() + 1);
  ASSERT_EQ(collection.bad.size(), bad.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const std::string place = "docs.trec:" + std::to_string(3 * i + 3) + ": ";
    EXPECT_NE(collection.bad[i].find(place), std::string::npos) << collection.bad[i];
    EXPECT_NE(collection.bad[i].find(bad[i].second), std::string::npos) << collection.bad[i];
  }
}

TEST(TrecReader, ReportsARunOfStrayTextOnce) {
  const Collection collection = read_trec(
      "<?xml version='1.0'?>\n<docs>\nmore\n\nmore <DOC><DOCNO>1</DOCNO></DOC> tail\n"
      "tail <DOC>\n<DOCNO>2</DOCNO></DOC>\nend");
  ASSERT_EQ(collection.documents.size(), 2U);
  EXPECT_EQ(collection.locations[0].line, 5U);
  EXPECT_EQ(collection.locations[1].line, 6U);
  ASSERT_EQ(collection.bad.size(), 3U);
  EXPECT_NE(collection.bad[0].find(":1: "), std::string::npos);
  EXPECT_NE(collection.bad[1].find(":5: "), std::string::npos);
  EXPECT_NE(collection.bad[2].find(":8: "), std::string::npos);
}

TEST(TrecReader, ADocumentEndsWithItsFile) {
  const TemporaryFolder folder;
  write_file(folder / "a", "<DOC>\n<DOCNO>1</DOCNO>\ncut");
  write_file(folder / "b", "rest</DOC><DOC><DOCNO>2</DOCNO>x</DOC>");
  const Collection collection =
      read_collection({.format = DocumentFormat::kTrec,
                       .inputs = {(folder / "a").string(), (folder / "b").string()}});
  ASSERT_EQ(collection.documents.size(), 1U);
  EXPECT_EQ(collection.documents[0].id, "2");
  ASSERT_EQ(collection.bad.size(), 2U);
  EXPECT_NE(collection.bad[0].find("/a:1: this <DOC> is not closed"), std::string::npos);
  EXPECT_NE(collection.bad[1].find("/b:1: there is text outside"), std::string::npos);
}

// The writer escapes each character in one of the ways that SGML has, or wraps text in tags.
std::string written(const std::string& text, std::mt19937_64& random) {
  std::string sgml;
  for (const char c : text) {
    if (c == '<' || c == '&' || c == '>' || (c > ' ' && random() % 20 == 0)) {
      sgml += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else if (c == ' ' && random() % 3 == 0) {
      sgml += random() % 2 == 0 ? "<P>" : "</p class=\"x\">";
    } else {
      sgml += c;
    }
  }
  return sgml;
}

TEST(TrecReader, TakesFilesThatWereJoined) {
  const std::string mark = "\xEF\xBB\xBF";
  expect_documents(read_trec(mark + "<DOC>\n<DOCNO>1</DOCNO>x\n</DOC>\n" + mark +
                             "<DOC>\n<DOCNO>2</DOCNO>\n" + mark + "y\n</DOC>\n" + mark),
                   {{"1", "x"}, {"2", "y"}});
}

TEST(TrecReader, ReadsBackRandomDocumentsInEveryPacking) {
  std::mt19937_64 random = generator(40);
  std::vector<Document> expected;
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    const std::string id = "D-" + std::to_string(i);
    std::string text = random_text(random, random() % 200).insert(0, "a").append("z");
    // These would be dropped: they stand at the start of a line.
    const std::string mark = "\n\xEF\xBB\xBF";
    for (std::size_t at; (at = text.find(mark)) != text.npos;) text.erase(at + 1, 3);
    const std::string newline = random() % 2 == 0 ? "\n" : "";
    expected.push_back({id, text});
    bytes += "<DOC>" + newline + "<DOCNO> " + id + newline + "</DOCNO>" + newline + "<DOCHDR>\n" +
             random_character(random) + "</DOCHDR>" + newline + written(text, random) + newline +
             "</DOC>" + newline;
  }
  for (const std::string& suffix : kSuffixes) {
    const TemporaryFolder folder;
    const PipeWriter writer((folder / "pipe").string(), pack(bytes, suffix), 4000);
    expect_documents(read_trec(pack(bytes, suffix), "docs" + suffix), expected);
    expect_documents(
        read_collection({.format = DocumentFormat::kTrec, .inputs = {(folder / "pipe").string()}}),
        expected);
  }
}

// Hostile markup whose naive handling is quadratic: this test would run for hours.
TEST(TrecReader, TakesTimeInProportionToItsInput) {
  const std::size_t count = 1000000;
  for (const std::string piece :
       {"<a", "<!--", "&", "<", "<docno", "&#", "</doc", "<doc", "<b x"}) {
    std::string content;
    for (std::size_t i = 0; i < count; ++i) content += piece;
    EXPECT_EQ(read_trec(content + "\n<DOC><DOCNO>1</DOCNO></DOC>").bad.size(), 1U) << piece;
    const Collection collection = read_trec("<DOC><DOCNO>1</DOCNO>" + content + " </DOC>");
    ASSERT_EQ(collection.documents.size(), 1U) << piece;
    EXPECT_EQ(collection.documents[0].text.size(), content.size()) << piece;
  }
}

TEST(TrecReader, SurvivesRandomBytes) {
  std::mt19937_64 random = generator(41);
  std::string noise;
  const std::vector<std::string> pieces{"<DOC>", "</DOC>",   "<DOCNO>", "</DOCNO>", "<",
                                        ">",     "\n",       "&lt;",    "x",        "<!--",
                                        "-->",   "<DOCHDR>", "\xFF"};
  for (int i = 0; i < 100000; ++i) noise += pieces[random() % pieces.size()];
  const Collection collection = read_trec(noise);
  EXPECT_GT(collection.documents.size() + collection.bad.size(), 0U);
}

std::string without_ends(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n");
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

// A real file, cut at the tags as they are written in it; its texts hold no markup.
TEST(TrecReader, ReadsCacmTopics) {
  WARPDEX_NEEDS_DATA("ir/cacm/topics.trec");
  const std::filesystem::path file = data_folder() / "ir/cacm/topics.trec";
  const std::string bytes = read_file(file);
  std::vector<Document> expected;
  for (std::size_t at = bytes.find("<DOCNO>"); at != std::string::npos;) {
    const std::size_t id_end = bytes.find("</DOCNO>", at);
    const std::size_t end = bytes.find("</DOC>", id_end);
    expected.push_back({without_ends(bytes.substr(at + 7, id_end - at - 7)),
                        without_ends(bytes.substr(id_end + 8, end - id_end - 8))});
    at = bytes.find("<DOCNO>", end);
  }
  EXPECT_EQ(expected.size(), 64U);
  expect_documents(read_collection({.format = DocumentFormat::kTrec, .inputs = {file.string()}}),
                   expected);
}

// Topics are no collection: nothing in them is taken for a document, nothing is lost unsaid.
TEST(TrecReader, RefusesTopics) {
  WARPDEX_NEEDS_DATA("queries/topics.terabyte04.701-750.txt");
  const std::filesystem::path file = data_folder() / "queries/topics.terabyte04.701-750.txt";
  const Collection collection =
      read_collection({.format = DocumentFormat::kTrec, .inputs = {file.string()}});
  EXPECT_TRUE(collection.documents.empty());
  ASSERT_EQ(collection.bad.size(), 1U);
  EXPECT_NE(collection.bad[0].find(".txt:1: there is text outside"), std::string::npos);
}

}  // namespace
}  // namespace warpdex::test::reading
