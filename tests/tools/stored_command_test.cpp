// Stored fields as users of the program meet them: index --store, search --show.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kDocuments =
    "{\"id\":\"a\",\"title\":\"The Sea\",\"contents\":\"A captain and <his> "
    "ships.\",\"year\":1851}\n"
    "{\"id\":\"b\",\"contents\":\"Land only, no ship\\nhere\\u0007.\"}\n";

class StoredCommands : public testing::Test {
 protected:
  Outcome index(const std::string& documents, const std::string& format,
                const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"index", "--input",  "-",    "--format",
                                       format,  "--output", index_, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {documents, {}, {}});
  }
  Outcome search(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"search", index_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(StoredCommands, ShowFieldsToPeopleAndScripts) {
  ASSERT_EQ(index(kDocuments, "jsonl", {"--store", "title,contents,year"}).status, 0);
  Outcome outcome = search({"--show", "title,contents,year", "ship captain"});
  EXPECT_THAT(outcome.out, HasSubstr("  a\n        title: The Sea\n"
                                     "        contents: A *captain* and <his> *ships*.\n"
                                     "        year: 1851\n2  "));
  EXPECT_THAT(outcome.out, HasSubstr("  b\n        contents: Land only, no *ship* here .\n"));
  outcome = search({"--show", "contents", "--no-snippets", "captain"});
  EXPECT_THAT(outcome.out, HasSubstr("        contents: A captain and <his> ships.\n"));
  outcome = search({"--show", "title,contents", "--output-format", "json", "ship captain"});
  rapidjson::Document json = parse_json(outcome.out);
  const auto& hits = json["queries"][0]["hits"];
  EXPECT_STREQ(hits[0]["fields"]["contents"].GetString(), "A captain and <his> ships.");
  EXPECT_STREQ(hits[0]["snippets"]["contents"].GetString(),
               "A <em>captain</em> and &lt;his&gt; <em>ships</em>.");
  EXPECT_FALSE(hits[0].HasMember("matches_position"));
  EXPECT_STREQ(hits[0]["snippets"]["title"].GetString(), "The Sea");
  EXPECT_FALSE(hits[1]["fields"].HasMember("title"));
  EXPECT_STREQ(hits[1]["fields"]["contents"].GetString(), "Land only, no ship\nhere\a.");
  write_file(folder_ / "q.tsv", "1\tship\n2\tcaptain\n");
  outcome = search({"--queries", folder_ / "q.tsv", "--show", "year", "--no-snippets",
                    "--output-format", "json"});
  json = parse_json(outcome.out);
  EXPECT_STREQ(json["queries"][1]["hits"][0]["fields"]["year"].GetString(), "1851");
  EXPECT_THAT(outcome.out, Not(HasSubstr("snippets")));
}

TEST_F(StoredCommands, SayWhereMarkedWordsStand) {
  // The member that a client cuts the words out of, by bytes.
  const std::string documents =
      "{\"id\":\"a\",\"contents\":\"größer <em>sea</em> & ships\"}\n"
      "{\"id\":\"b\",\"contents\":\"C:\\\\x sea \\\\ ships\"}\n";
  ASSERT_EQ(index(documents, "jsonl", {"--store", "contents"}).status, 0);
  const Outcome outcome = search(
      {"--show", "contents", "--show-matches-position", "--output-format", "json", "sea ship"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  for (const auto& hit : json["queries"][0]["hits"].GetArray()) {
    const std::string text = hit["fields"]["contents"].GetString();
    std::vector<std::string> words;
    for (const auto& word : hit["matches_position"]["contents"].GetArray()) {
      words.push_back(text.substr(word["start"].GetUint64(), word["length"].GetUint64()));
    }
    EXPECT_EQ(words, (std::vector<std::string>{"sea", "ships"})) << text;
  }
  const auto& hits = json["queries"][0]["hits"];
  const auto& first = std::string(hits[0]["document"].GetString()) == "a" ? hits[0] : hits[1];
  EXPECT_STREQ(first["snippets"]["contents"].GetString(),
               "größer &lt;em&gt;<em>sea</em>&lt;/em&gt; &amp; <em>ships</em>");
  EXPECT_EQ(first["matches_position"]["contents"][0]["start"].GetInt(), 13) << "bytes of UTF-8";
}

TEST_F(StoredCommands, TextOfOtherFormatsIsAField) {
  ASSERT_EQ(index(kTsvDocuments, "tsv", {"--store", "text"}).status, 0);
  EXPECT_THAT(search({"--show", "text", "sky"}).out, HasSubstr("text: blue *sky*\n"));
  Outcome outcome = run_warpdex({"add", index_, "--input", "-", "--format", "trec"},
                                {"<DOC><DOCNO>t</DOCNO><P>grey sea</P></DOC>", {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(search({"--show", "text", "grey"}).out, HasSubstr("*grey* sea"));
  outcome = run_warpdex({"delete", index_, "--ids", "-"}, {"d1\n", {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(run_warpdex({"merge", index_, "--all", "--quiet"}).status, 0);
  EXPECT_THAT(search({"--show", "text", "grey"}).out, HasSubstr("*grey* sea"));
  EXPECT_THAT(run_warpdex({"stats", index_}).out, HasSubstr("stored fields"));
  EXPECT_EQ(parse_json(run_warpdex({"stats", index_, "--json", "-"}).out)["stored_fields"], "text");
}

TEST_F(StoredCommands, SparseVectorsAndFilesHaveFieldsToo) {
  ASSERT_EQ(index("{\"id\":1,\"vector\":{\"sea\":2},\"contents\":\"the sea\"}\n", "sparse",
                  {"--store", "contents"})
                .status,
            0);
  EXPECT_THAT(search({"--show", "contents", "sea"}).out, HasSubstr("contents: the *sea*\n"));
  write_file(folder_ / "a.txt", "grey sea");
  const Outcome outcome = run_warpdex({"index", "--input", folder_ / "a.txt", "--format", "text",
                                       "--store", "text", "--output", index_, "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(search({"--show", "text", "grey"}).out, HasSubstr("text: *grey* sea\n"));
}

TEST_F(StoredCommands, RefuseWhatIsNotThere) {
  expect_complaint(index(kTsvDocuments, "tsv", {"--store", "title"}), 2, {"'title'", "'text'"});
  expect_complaint(index(kDocuments, "jsonl", {"--store", "titel"}), 1, {"'titel'", "title"});
  expect_complaint(
      index("{\"id\":1,\"contents\":\"x\",\"tags\":[1]}\n", "jsonl", {"--store", "tags"}), 1,
      {"<stdin>:1", "'tags' is an array", "strings and numbers"});
  expect_complaint(index(kDocuments, "jsonl", {"--store", ","}), 2, {"--store names no field"});
  expect_complaint(index(kDocuments, "jsonl", {"--store", "title,title"}), 2, {"twice"});
  ASSERT_EQ(index(kDocuments, "jsonl", {"--store", "title"}).status, 0);
  expect_complaint(
      run_warpdex({"add", index_, "--input", "-", "--format", "tsv"}, {"c\tx\n", {}, {}}), 2,
      {"'title'", "jsonl"});
  expect_complaint(search({"--show", "contents", "sea"}), 2,
                   {"stores no field 'contents'", "it stores 'title'"});
  write_file(folder_ / "q.tsv", "1\tship\n");
  expect_complaint(search({"--queries", folder_ / "q.tsv", "--show", "title"}), 2,
                   {"--output-format json"});
  expect_complaint(search({"--no-snippets", "sea"}), 2, {"--show"});
  expect_complaint(search({"--show-matches-position", "sea"}), 2, {"is for --show"});
  expect_complaint(search({"--show", "title", "--show-matches-position", "sea"}), 2,
                   {"--output-format json"});
  expect_complaint(search({"--show", "title", "--show-matches-position", "--no-snippets",
                           "--output-format", "json", "sea"}),
                   2, {"--no-snippets"});
  ASSERT_EQ(index(kDocuments, "jsonl", {}).status, 0);
  expect_complaint(search({"--show", "title", "sea"}), 2, {"stores no fields"});
}

}  // namespace
}  // namespace warpdex::test
