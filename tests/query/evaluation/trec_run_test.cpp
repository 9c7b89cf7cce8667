// TREC runs, qrels and JSON results: written, read back, and refused.
#include "warpdex/query/evaluation/trec_run.hpp"

#include <rapidjson/document.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/query/evaluation/names.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/query/json_text.hpp"
#include "warpdex/query/results_json.hpp"

namespace warpdex {
namespace {

TEST(TrecRunWriter, WritesLines) {
  std::ostringstream out;
  TrecRunWriter writer(out, "my-run");
  const std::vector<NamedHit> hits = {{"doc-1", 14.329898F}, {"doc/2", 0.1F}, {"d3", 0.F}};
  writer.write({.id = "701", .hits = hits, .matches = 3});
  writer.write({.id = "702", .hits = {}});
  writer.finish();
  EXPECT_EQ(out.str(),
            "701 Q0 doc-1 1 14.3298979 my-run\n"
            "701 Q0 doc/2 2 0.100000001 my-run\n"
            "701 Q0 d3 3 0 my-run\n");
}

TEST(TrecRunWriter, ScoresAreThoseOfPrintfAndReadBackAsTheyWere) {
  auto random = test::generator(6);
  for (int i = 0; i < 20'000; ++i) {
    const auto exponent = static_cast<float>(random() % 60) - 30.F;
    const float score =
        std::ldexp(static_cast<float>(random() % (1U << 24)), 0) * std::pow(2.F, exponent);
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.9g", static_cast<double>(score));
    ASSERT_EQ(format_score(score), expected);
    ASSERT_EQ(std::stof(format_score(score)), score);
  }
}

TEST(TrecRunWriter, DistancesBecomeScoresThatGrowWithGoodness) {
  std::ostringstream out;
  TrecRunWriter writer(out, "t");
  const std::vector<NamedHit> hits = {{"same", 0.F}, {"near", 0.25F}, {"far", 9.F}};
  writer.write({.id = "1", .hits = hits, .scores_are_distances = true});
  EXPECT_EQ(out.str(), "1 Q0 same 1 0 t\n1 Q0 near 2 -0.25 t\n1 Q0 far 3 -9 t\n");
}

TEST(TrecRunWriter, RefusesNamesThatBreakLines) {
  std::ostringstream out;
  TrecRunWriter writer(out);
  for (const std::string bad : {"two words", "tab\there", "line\n", ""}) {
    const std::vector<NamedHit> hits = {{"fine", 2.F}, {bad, 1.F}};
    EXPECT_THROW(writer.write({.id = "1", .hits = hits}), InputError);
    EXPECT_THROW(writer.write({.id = bad, .hits = {}}), InputError);
    EXPECT_THROW(TrecRunWriter(out, bad), UsageError);
  }
  EXPECT_EQ(out.str(), "") << "a refused answer left lines behind";
}

TEST(TrecRunWriter, SaysThatTheStreamFailed) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  TrecRunWriter run(out);
  EXPECT_THROW(run.write({.id = "1", .hits = {}}), IoError);
  EXPECT_THROW(run.finish(), IoError);
  JsonResultWriter json(out);
  EXPECT_THROW(json.write({.id = "1", .hits = {}}), IoError);
  EXPECT_THROW(json.finish(), IoError);
}

class TrecFiles : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& bytes) {
    test::write_file(folder_ / "file", bytes);
    return folder_ / "file";
  }

  template <typename Read>
  std::string complaint(Read read, const std::string& bytes) {
    try {
      read(file(bytes));
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.path().string().size() + 1);
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

TEST_F(TrecFiles, ScoresAreFloatsAsTrecEvalsAre) {
  const TrecRun run = read_run(file("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n1 Q0 c 3 1e39 t\n"));
  const float most = std::numeric_limits<float>::infinity();
  EXPECT_EQ(run.queries[0].documents,
            (std::vector<RunDocument>{{"a", 16777216}, {"b", 16777216}, {"c", most}}));
}

TEST_F(TrecFiles, ReadsRuns) {
  const TrecRun run =
      read_run(file("7 Q0 a 9 1.5 x\n\n  8\tQ0\tb\t1\t-2e3\ty more fields\r\n"
                    "7 0 c 1 +2 z"));
  EXPECT_EQ(run.tag, "z");
  ASSERT_EQ(run.queries.size(), 2U);
  EXPECT_EQ(run.queries[0].id, "7");
  EXPECT_EQ(run.queries[0].documents, (std::vector<RunDocument>{{"a", 1.5}, {"c", 2}}));
  EXPECT_EQ(run.queries[1].id, "8");
  EXPECT_EQ(run.queries[1].documents, (std::vector<RunDocument>{{"b", -2000}}));
  EXPECT_TRUE(read_run(file("")).queries.empty());
}

TEST_F(TrecFiles, ReadsBackWhatTheWriterWrote) {
  auto random = test::generator(7);
  std::ostringstream out;
  TrecRunWriter writer(out, "t");
  std::vector<std::vector<float>> scores;
  for (int query = 0; query < 50; ++query) {
    std::vector<std::string> names;
    std::vector<NamedHit> hits;
    scores.emplace_back();
    for (std::uint64_t i = 0; i <= random() % 130; ++i) names.push_back(test::numbered('D', i));
    for (const std::string& name : names) {
      scores.back().push_back(std::uniform_real_distribution<float>(0, 30)(random));
      hits.push_back({name, scores.back().back()});
    }
    writer.write({.id = std::to_string(query), .hits = hits});
  }
  writer.finish();
  const TrecRun run = read_run(file(out.str()));
  ASSERT_EQ(run.queries.size(), 50U);
  for (std::size_t query = 0; query < 50; ++query) {
    const auto& documents = run.queries[query].documents;
    EXPECT_EQ(run.queries[query].id, std::to_string(query));
    ASSERT_EQ(documents.size(), scores[query].size());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      ASSERT_EQ(documents[i].name, test::numbered('D', i));
      ASSERT_EQ(static_cast<float>(documents[i].score), scores[query][i]);
    }
  }
}

TEST_F(TrecFiles, WrongRunsAreNamedByLine) {
  const auto expect = [&](const std::string& bytes, const std::string& start) {
    EXPECT_EQ(complaint(read_run, bytes).substr(0, start.size()), start) << bytes;
  };
  expect("1 Q0 a 1 2 t\n1 Q0 b 2 1\n", "file:2 has 5 fields");
  expect("word\n", "file:1 has 1 fields");
  for (const std::string bad : {"x", "1.5x", "nan", "-", "+", "+-1", "1e999", "0x10", "1,5"}) {
    expect("\n1 Q0 a 1 " + bad + " t\n", "file:2 has the score '" + bad + "'");
  }
  expect("1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n",
         "file:4 lists document a again for query 1 (first on line 1)");
  EXPECT_THROW(read_run(folder_ / "missing"), IoError);
}

TEST_F(TrecFiles, ReadsQrels) {
  const Qrels qrels = read_qrels(file("7 0 a 1\n7\t0\tb\t-2\r\n\n8 x a +3"));
  ASSERT_EQ(qrels.size(), 2U);
  EXPECT_EQ(qrels.at("7").at("a"), 1);
  EXPECT_EQ(qrels.at("7").at("b"), -2);
  EXPECT_EQ(qrels.at("8").at("a"), 3);
}

TEST_F(TrecFiles, DropsMarksOfFilesThatWereJoined) {
  const std::string mark = "\xEF\xBB\xBF";
  const Qrels qrels = read_qrels(file(mark + "7 0 a 1\n" + mark + "7 0 b 1\n"));
  EXPECT_EQ(qrels.at("7").size(), 2U);
  const TrecRun run = read_run(file(mark + "7 Q0 a 1 2 t\n" + mark + "7 Q0 b 2 1 t\n"));
  ASSERT_EQ(run.queries.size(), 1U);
  EXPECT_EQ(run.queries[0].documents.size(), 2U);
}

TEST_F(TrecFiles, ReadsQrelsAsBeirHasThem) {
  for (const std::string names : {"query-id\tcorpus-id\tscore\n", ""}) {
    const Qrels qrels =
        read_qrels(file(names + "PLAIN-2\tMED-10\t2\nPLAIN-2\tMED-14\t0\n1\ta\t1\n"));
    ASSERT_EQ(qrels.size(), 2U);
    EXPECT_EQ(qrels.at("PLAIN-2").at("MED-10"), 2);
    EXPECT_EQ(qrels.at("PLAIN-2").at("MED-14"), 0);
    EXPECT_EQ(qrels.at("1").at("a"), 1);
  }
  const auto expect = [&](const std::string& bytes, const std::string& start) {
    EXPECT_EQ(complaint(read_qrels, bytes).substr(0, start.size()), start) << bytes;
  };
  expect("query-id corpus-id score\n1 a x\n", "file:2 has the grade 'x'");
  expect("query-id corpus-id score\n1 0 a 1\n", "file:2 has 4 fields; qrels' lines are: query-id");
  expect("1 a 1\n1 a 2\n", "file:2 judges document a again for query 1 (first on line 1)");
  // A judgement is no header, whatever its grade; nor is a header one of another kind.
  expect("1 a one\n1 b 1\n", "file:1 has the grade 'one'");
  expect("q-1 d-2 x\n", "file:1 has the grade 'x'");
  expect("name value score\n", "file:1 has the grade 'score'");
  for (const std::string names : {"query_id corpus_id score", "Query-ID\tCorpus-ID\tScore",
                                  "qid docid relevance", "qid pid label", "topic docno rel"}) {
    EXPECT_EQ(read_qrels(file("\xEF\xBB\xBF" + names + "\n1 a 1\n")).size(), 1U) << names;
  }
  EXPECT_TRUE(read_qrels(file("query-id corpus-id score\n")).empty());
}

TEST_F(TrecFiles, WrongQrelsAreNamedByLine) {
  const auto expect = [&](const std::string& bytes, const std::string& start) {
    EXPECT_EQ(complaint(read_qrels, bytes).substr(0, start.size()), start) << bytes;
  };
  expect("1 0 a 1\n1 0 b\n", "file:2 has 3 fields");
  expect("1 Q0 a 1 3.5 t\n", "file:1 has 6 fields");
  for (const std::string bad : {"x", "1.0", "99999999999", "", "+-1"}) {
    if (!bad.empty()) expect("1 0 a " + bad + "\n", "file:1 has the grade '" + bad + "'");
  }
  expect("1 0 a 1\n2 0 a 1\n1 0 a 1\n",
         "file:3 judges document a again for query 1 (first on line 1)");
  expect(std::string("1 0 a 1\n1 0 b\0 1\n", 17), "file:2 has a NUL (byte 6 of the line, ");
  expect(std::string("1 0 a\0 1\n", 10), "file:1 has a NUL");
  EXPECT_THROW(read_qrels(folder_ / "missing"), IoError);
}

TEST(JsonResults, AreAnObjectOfQueries) {
  std::ostringstream out;
  JsonResultWriter writer(out);
  const std::vector<NamedHit> hits = {{"a \"quoted\" näme\t", 14.329898F},
                                      {"b", std::numeric_limits<float>::infinity()}};
  writer.write({.id = "701", .hits = hits, .matches = 5'000'000'000, .matches_exact = true});
  writer.write({.id = "7\n2",
                .hits = {},
                .matches = 0,
                .fell_back_to_or = true,
                .scores_are_distances = true});
  writer.finish();

  rapidjson::Document json;
  json.Parse(out.str().c_str());
  ASSERT_FALSE(json.HasParseError()) << out.str();
  const auto& queries = json["queries"];
  ASSERT_EQ(queries.Size(), 2U);
  EXPECT_STREQ(queries[0]["id"].GetString(), "701");
  EXPECT_EQ(queries[0]["matches"].GetUint64(), 5'000'000'000U);
  EXPECT_TRUE(queries[0]["matches_exact"].GetBool());
  EXPECT_FALSE(queries[0]["fell_back_to_or"].GetBool());
  EXPECT_STREQ(queries[0]["score_is"].GetString(), "score");
  EXPECT_STREQ(queries[1]["score_is"].GetString(), "distance");
  ASSERT_EQ(queries[0]["hits"].Size(), 2U);
  EXPECT_EQ(queries[0]["hits"][0]["rank"].GetInt(), 1);
  EXPECT_STREQ(queries[0]["hits"][0]["document"].GetString(), "a \"quoted\" näme\t");
  EXPECT_EQ(static_cast<float>(queries[0]["hits"][0]["score"].GetDouble()), 14.329898F);
  EXPECT_EQ(queries[0]["hits"][1]["rank"].GetInt(), 2);
  EXPECT_TRUE(queries[0]["hits"][1]["score"].IsNull());
  EXPECT_STREQ(queries[1]["id"].GetString(), "7\n2");
  EXPECT_FALSE(queries[1]["matches_exact"].GetBool());
  EXPECT_TRUE(queries[1]["fell_back_to_or"].GetBool());
  EXPECT_EQ(queries[1]["hits"].Size(), 0U);
  EXPECT_NE(out.str().find("\"score\":14.3298979}"), std::string::npos) << out.str();
}

TEST(JsonResults, WithoutQueriesAreStillAnObject) {
  std::ostringstream out;
  JsonResultWriter(out).finish();
  EXPECT_EQ(out.str(), "{\"queries\":[]}\n");
}

TEST(JsonResults, HaveNullForASumPastAllDoubles) {
  Facet facet;
  facet.column = "f";
  facet.sum = std::numeric_limits<double>::infinity();
  std::ostringstream out;
  JsonResultWriter writer(out);
  writer.write({.id = "1", .hits = {}, .facets = {&facet, 1}});
  writer.finish();
  rapidjson::Document json;
  json.Parse(out.str().c_str());
  ASSERT_FALSE(json.HasParseError()) << out.str();
  EXPECT_TRUE(json["queries"][0]["facets"]["f"]["sum"].IsNull());
}

TEST(JsonResults, AreUtf8WhateverTheNamesAre) {
  std::ostringstream out;
  JsonResultWriter writer(out);
  const std::vector<NamedHit> hits = {{"caf\xE9", 2.F}, {"C:\\xE9", 1.F}, {"a\\b", 0.F}};
  writer.write({.id = "\xFF", .hits = hits});
  writer.finish();
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag>(out.str().c_str());
  ASSERT_FALSE(json.HasParseError()) << out.str();
  const auto& query = json["queries"][0];
  EXPECT_STREQ(query["id"].GetString(), "\\xFF");
  EXPECT_STREQ(query["hits"][0]["document"].GetString(), "caf\\xE9");
  EXPECT_STREQ(query["hits"][1]["document"].GetString(), "C:\\xE9");
  EXPECT_STREQ(query["hits"][2]["document"].GetString(), "a\\b");
}

TEST(JsonText, KeepsUtf8AndTellsOtherTextsApart) {
  EXPECT_EQ(json_text("näme \\xFF \"x\""), "näme \\xFF \"x\"");
  EXPECT_EQ(json_text(""), "");
  EXPECT_EQ(json_text("\xC3"), "\\xC3");  // half a character
  EXPECT_EQ(json_text("a\xFF\xFE\\b"), "a\\xFF\\xFE\\\\b");
  EXPECT_EQ(json_text("\xED\xA0\x80z"), "\\xED\\xA0\\x80z");  // a surrogate
  // All texts of up to four of these parts: what is written is UTF-8, and tells those that are not
  // apart.
  const std::vector<std::string> parts{"\\", "x", "FF", "\xFF", "ä", "\xC3"};
  std::vector<std::string> texts{""};
  for (std::size_t first = 0, length = 0; length < 4; ++length) {
    const std::size_t end = texts.size();
    for (; first < end; ++first) {
      for (const std::string& part : parts) texts.push_back(texts[first] + part);
    }
  }
  std::map<std::string, std::string> text_of;
  for (const std::string& text : texts) {
    const std::string written = json_text(text);
    EXPECT_EQ(analysis::find_invalid_utf8(written), written.size());
    if (analysis::find_invalid_utf8(text) == text.size()) {
      EXPECT_EQ(written, text);
      continue;
    }
    const auto [known, is_new] = text_of.emplace(written, text);
    EXPECT_TRUE(is_new || known->second == text) << written;
  }
  EXPECT_GT(text_of.size(), 900U);
}

}  // namespace
}  // namespace warpdex
