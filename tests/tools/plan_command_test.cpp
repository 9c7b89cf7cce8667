// warpdex plan against sums that were made by hand, of collections of known sizes.
#include <rapidjson/document.h>

#include "tests/tools/process.hpp"

namespace warpdex::test {
namespace {

struct Plan {
  const char* documents;
  const char* postings;
  const char* gpu_memory;
  double gigabytes[3];  ///< of bitpack, pfor and rice
  std::uint64_t gpus[3];
};

TEST(PlanCommand, HasTheSumsOfKnownCollections) {
  const Plan plans[] = {
      // ClueWeb12: 214.4 G postings.
      {"731645161", "293", "83.8GB", {381.6, 317.8, 291.8}, {6, 5, 5}},
      {"731645161", "293", "149GB", {381.6, 317.8, 291.8}, {3, 3, 3}},
      // A month of Common Crawl.
      {"3000000000", "293", "83.8GB", {1564.6, 1303.1, 1196.5}, {22, 19, 17}},
      {"1", "1", "83.8GB", {0, 0, 0}, {1, 1, 1}},
  };
  for (const Plan& plan : plans) {
    const Outcome outcome =
        run_warpdex({"plan", "--documents", plan.documents, "--postings-per-document",
                     plan.postings, "--gpu-memory", plan.gpu_memory, "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    rapidjson::Document json;
    json.Parse(outcome.out.c_str());
    ASSERT_FALSE(json.HasParseError()) << outcome.out;
    const auto& codecs = json["codecs"];
    ASSERT_EQ(codecs.Size(), 3);
    for (rapidjson::SizeType i = 0; i < 3; ++i) {
      EXPECT_NEAR(codecs[i]["index_bytes"].GetDouble() / 1e9, plan.gigabytes[i], 0.06);
      EXPECT_EQ(codecs[i]["gpus"].GetUint64(), plan.gpus[i]) << plan.documents << " " << i;
      EXPECT_EQ(codecs[i].HasMember("or_10_min_us"), plan.gpus[i] == 1);
    }
  }
}

TEST(PlanCommand, TimesAreThoseMeasuredAtTheMeasuredSize) {
  const Outcome same =
      run_warpdex({"plan", "--documents", "25200000", "--postings-per-document", "200"});
  EXPECT_THAT(same.out, ::testing::HasSubstr("3.3 to 3.3"));
  EXPECT_THAT(same.out, ::testing::HasSubstr("5.2 to 5.2"));
  EXPECT_THAT(same.out, ::testing::HasSubstr("4.7 to 4.7"));
  // Four times the documents: 4^0.59 is 2.27.
  const Outcome more =
      run_warpdex({"plan", "--documents", "100800000", "--postings-per-document", "200"});
  EXPECT_THAT(more.out, ::testing::HasSubstr("7.5 to 13.2"));
}

TEST(PlanCommand, RefusesWhatIsNoSize) {
  const auto refuses = [](const char* documents, const char* postings, const char* memory) {
    const Outcome outcome =
        run_warpdex({"plan", "--documents", documents, "--postings-per-document", postings,
                     "--gpu-memory", memory});
    EXPECT_EQ(outcome.status, 2) << documents << " " << postings << " " << memory;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refuses("0", "1", "80GB");
  refuses("1", "0", "80GB");
  refuses("1", "nan", "80GB");
  refuses("1", "1", "4GB");
}

}  // namespace
}  // namespace warpdex::test
