// warpdex-lab codecs: the table, the JSON and the plot of a random index.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

/// Documents 0 to 2999: "all" in each, "third" in every third, "rare" in ten, others at random.
std::string random_documents() {
  std::mt19937_64 random = generator(7);
  std::string documents;
  for (int i = 0; i < 3000; ++i) {
    documents += std::to_string(i) + "\tall";
    if (i % 3 == 0) documents += " third third";
    if (i % 300 == 0) documents += " rare";
    for (int word = 0; word < 5; ++word) documents += " w" + std::to_string(random() % 40);
    documents += "\n";
  }
  return documents;
}

class CodecsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = run_warpdex({"index", "--input", "-", "--format", "tsv", "--analyzer",
                                         "whitespace", "--output", folder_ / "index"},
                                        {random_documents(), {}, {}});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  rapidjson::Document compare(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"codecs", folder_ / "index", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_warpdex(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse_json(outcome.out);
  }
  TemporaryFolder folder_;
};

TEST_F(CodecsCommand, ComparesAllCodecsOverAllClasses) {
  const rapidjson::Document json = compare({"--no-bit-sets"});
  const auto& classes = json["classes"];
  ASSERT_EQ(classes.Size(), 3U);
  EXPECT_STREQ(classes[0]["postings_in_list"].GetString(), "2-127");
  EXPECT_EQ(classes[0]["lists"].GetUint(), 1U);
  EXPECT_EQ(classes[0]["postings"].GetUint(), 10U);
  EXPECT_STREQ(classes[2]["postings_in_list"].GetString(), "1K-10K");
  EXPECT_EQ(classes[2]["lists"].GetUint(), 2U);
  EXPECT_EQ(classes[2]["postings"].GetUint(), 4000U);
  const auto& codecs = json["codecs"];
  ASSERT_EQ(codecs.Size(), 8U);
  for (const auto& codec : codecs.GetArray()) {
    EXPECT_GT(codec["bits_per_docid"].GetDouble(), 0);
    EXPECT_GT(codec["docids_per_second"].GetDouble(), 0);
    EXPECT_GT(codec["frequencies_per_second"].GetDouble(), 0);
    EXPECT_EQ(codec["by_list_length"].MemberCount(), 3U);
  }
  // bitpack of 1000 gaps of three (two, as gaps are stored less one) and 3000 of one: 2 and 0
  // bits, and a byte a block of 128.
  EXPECT_STREQ(codecs[7]["codec"].GetString(), "bitpack");
  const double bits = codecs[7]["by_list_length"]["1K-10K"]["bits_per_docid"].GetDouble();
  EXPECT_NEAR(bits, (2 * 1000 + 8 * (8 + 24)) / 4000.0, 0.01);
}

TEST_F(CodecsCommand, BitSetsMakeDenseListsNoLarger) {
  const rapidjson::Document with = compare({});
  const rapidjson::Document without = compare({"--no-bit-sets"});
  for (rapidjson::SizeType i = 0; i < 8; ++i) {
    EXPECT_LE(with["codecs"][i]["bits_per_docid"].GetDouble(),
              without["codecs"][i]["bits_per_docid"].GetDouble() + 1e-9)
        << i;
  }
}

TEST_F(CodecsCommand, SamplesAndSaysSo) {
  const rapidjson::Document json = compare({"--postings", "2000"});
  const auto& middle = json["classes"][1];
  EXPECT_GT(middle["postings"].GetUint(), 10'000U);
  EXPECT_LT(middle["measured_postings"].GetUint(), 4'000U);
  EXPECT_GT(middle["measured_lists"].GetUint(), 0U);
  EXPECT_LT(middle["measured_lists"].GetUint(), middle["lists"].GetUint());
}

TEST_F(CodecsCommand, PrintsTablesAndDrawsAPlot) {
  const std::filesystem::path plot = folder_ / "plot.svg";
  const Outcome outcome = run_warpdex({"codecs", folder_ / "index", "--plot", plot});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const std::string part : {"bits per docID", "pfor 4", "1K-10K", "measured postings"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  const std::string svg = read_file(plot);
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg.substr(0, 100);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("bits per posting"));
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
  expect_complaint(run_warpdex({"codecs", folder_ / "index", "--postings", "0"}), 2,
                   {"--postings"});
}

}  // namespace
}  // namespace warpdex::test
