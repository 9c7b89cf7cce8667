// Sparse vectors from JSON lines: what is taken, what is refused, and with which words.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reader_support.hpp"
#include "tests/support.hpp"

namespace warpdex::test::reading {
namespace {

class SparseReaderTest : public testing::Test {
 protected:
  Collection read(const std::string& bytes, const std::string& name = "v.jsonl") {
    ReaderOptions options;
    options.format = DocumentFormat::kSparse;
    return read_bytes(folder_, name, bytes, options);
  }

  TemporaryFolder folder_;
};

using Vector = std::vector<TermWeight>;

TEST_F(SparseReaderTest, TakesTermsAndWeightsAsTheyAre) {
  const Collection got = read(
      "{\"id\": \"a\", \"contents\": \"left alone\", \"vector\": {\"sea\": 1.25, \"##ing\": 3, \" "
      "\": "
      "2e2, \"^\": 0, \"caf\\u00e9\": 0.1}}\r\n"
      "\n"
      "{\"vector\":{\"a b\":1},\"_id\":7,\"more\":{\"vector\":{\"no\":1}}}\n"
      "{\"docno\":\"c\",\"vector\":{}}");
  EXPECT_TRUE(got.bad.empty());
  ASSERT_EQ(got.documents.size(), 3U);
  EXPECT_EQ(got.documents[0].id, "a");
  EXPECT_EQ(got.documents[0].vector,
            (Vector{{"sea", 1.25F}, {"##ing", 3}, {" ", 200}, {"^", 0}, {"caf\xC3\xA9", 0.1F}}));
  EXPECT_EQ(got.documents[1].id, "7");
  EXPECT_EQ(got.documents[1].vector, (Vector{{"a b", 1}}));
  EXPECT_TRUE(got.documents[2].vector.empty());
}

TEST_F(SparseReaderTest, RoundsToTheNearestFloatAndNeverToZero) {
  const Collection got = read(
      "{\"id\":1,\"vector\":{\"a\":0.1,\"b\":16777217,\"c\":1e-60,\"d\":1e-300000,\"e\":-1,\"f\":"
      "NaN,"
      "\"g\":Infinity,\"h\":-Infinity,\"i\":1e39,\"k\":-1e-500}}\n");
  ASSERT_EQ(got.documents.size(), 1U) << (got.bad.empty() ? "" : got.bad[0]);
  const Vector& vector = got.documents[0].vector;
  constexpr float kMin = std::numeric_limits<float>::denorm_min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> expected{0.1F, 16777216.F, kMin,       kMin,      -1,
                                    0,    kInfinity,  -kInfinity, kInfinity, -kMin};
  ASSERT_EQ(vector.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (vector[i].term == "f") {
      EXPECT_TRUE(std::isnan(vector[i].weight));
    } else {
      EXPECT_EQ(vector[i].weight, expected[i]) << vector[i].term;
    }
  }
}

TEST_F(SparseReaderTest, RefusesByASentence) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"id\":1,\"vector\":{\"a\":\"1\"}}",
       "the weight of the term 'a' is a string; give a number"},
      {"{\"id\":1,\"vector\":{\"a\":null}}", "the weight of the term 'a' is null; give a number"},
      {"{\"id\":1,\"vector\":{\"a\":{\"b\":1}}}", "the weight of the term 'a' is an object"},
      {"{\"id\":1,\"vector\":[1,2]}", "the member 'vector' is an array; it must be an object"},
      {"{\"id\":1,\"vector\":null}", "the member 'vector' is null; it must be an object"},
      {"{\"id\":1,\"contents\":\"x\"}",
       "there is no member 'vector'; the members here are contents"},
      {"{\"id\":1,\"vector\":{\"a\":1},\"vector\":{\"b\":1}}", "the member 'vector' occurs twice"},
      {"{\"vector\":{\"a\":1}}", "there is no id"},
      {"{\"id\":\"a b\",\"vector\":{\"a\":1}}", "holds white space"},
      {"{\"id\":1,\"vector\":{\"a\":1", "this is not valid JSON"},
      {"{\"id\":1,\"vector\":{\"a\":1e999}}", "Number too big"},
      {"{\"id\":1,\"vector\":{\"a\":" + std::string(400, '9') + "}}", "Number too big"},
      {"[1]", "this is a JSON array, not an object"},
      {"{\"id\":1,\"vector\":{\"a\":1e}}", "this is not valid JSON"},
      {"{\"id\":1,\"vector\":{\"\\udc00\":1}}", "a \\u escape"},
      {"{\"id\":1,\"vector\":{\"caf\xE9\":1}}", "iconv -f LATIN1"},
  };
  for (const auto& [line, sentence] : cases) {
    const Collection got = read("{\"id\":0,\"vector\":{\"x\":1}}\n" + line + "\n");
    EXPECT_EQ(got.documents.size(), 1U) << line;
    ASSERT_EQ(got.bad.size(), 1U) << line;
    EXPECT_NE(got.bad[0].find("v.jsonl:2: "), std::string::npos) << got.bad[0];
    EXPECT_NE(got.bad[0].find(sentence), std::string::npos) << got.bad[0];
  }
}

TEST_F(SparseReaderTest, AFormatOfTextsNamesThisOne) {
  ReaderOptions options;
  options.fields = {"vector"};
  const Collection got =
      read_bytes(folder_, "v.jsonl", "{\"id\":1,\"vector\":{\"a\":1}}\n", options);
  ASSERT_EQ(got.bad.size(), 1U);
  EXPECT_NE(got.bad[0].find("the format sparse"), std::string::npos) << got.bad[0];
}

TEST_F(SparseReaderTest, ManyTermsAndDeepOthers) {
  std::string line =
      "{\"id\":1,\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + ",\"vector\":{";
  for (int i = 0; i < 50'000; ++i) {
    line += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + "\":" + std::to_string(i) + ".5";
  }
  for (const std::string& suffix : kSuffixes) {
    const Collection got = read(pack(line + "}}\n", suffix), "v.jsonl" + suffix);
    ASSERT_EQ(got.documents.size(), 1U);
    ASSERT_EQ(got.documents[0].vector.size(), 50'000U);
    EXPECT_EQ(got.documents[0].vector[49'999], (TermWeight{"t49999", 49'999.5F}));
  }
}

}  // namespace
}  // namespace warpdex::test::reading
