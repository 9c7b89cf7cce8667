// warpdex search and bench over several text fields: --mode and-or.
#include "tests/tools/collection.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

class FieldsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(file("schema.json"),
               R"({"fields": {"title": {"type": "text"}, "body": {"type": "text"}}})");
    const Outcome outcome =
        run_warpdex({"index", "--input", "-", "--format", "jsonl", "--schema", file("schema.json"),
                     "--analyzer", "whitespace", "--output", file("index"), "--quiet"},
                    {"{\"id\": \"1\", \"title\": \"old ships\", \"body\": \"at night\"}\n"
                     "{\"id\": \"2\", \"title\": \"night\", \"body\": \"old sea\"}\n"
                     "{\"id\": \"3\", \"title\": \"sea\", \"body\": \"sea\"}\n",
                     {},
                     {}});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    // Documents with all words: 1 and 2; 2; none; of one word 2 and 3.
    write_file(file("log.tsv"), "q1\told night\nq2\told sea\nq3\tships sea\nq4\tsea\n");
  }
  std::string file(const std::string& name) const { return folder_ / name; }

  Outcome run(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{command,         file("index"), "--queries",
                                       file("log.tsv"), "--mode",      "and-or"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(FieldsCommand, SearchFallsBackToOr) {
  for (const auto& [least, fallen] :
       {std::pair("1", "0010"), std::pair("2", "0110"), std::pair("3", "1111")}) {
    const Outcome outcome = run("search", {"--and-or-min", least, "--output-format", "json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const rapidjson::Document json = parse_json(outcome.out);
    std::string found;
    for (const auto& query : json["queries"].GetArray()) {
      found += query["fell_back_to_or"].GetBool() ? '1' : '0';
    }
    EXPECT_EQ(found, fallen);
    EXPECT_EQ(json["queries"][0]["hits"].Size(), 2U);
    EXPECT_EQ(json["queries"][1]["hits"].Size(), fallen[1] == '1' ? 3U : 1U);
    EXPECT_EQ(json["queries"][2]["hits"].Size(), 3U);
  }
  const Outcome people = run_warpdex({"search", file("index"), "ships", "sea", "--mode", "and-or"});
  EXPECT_THAT(people.out, HasSubstr("too few documents hold all of the words"));
}

TEST_F(FieldsCommand, BenchTimesBothModes) {
  for (const std::string device : {"cpu", "gpu"}) {
    if (device == "gpu" && device_count() == 0) continue;
    for (const std::string batch : {"1", "3"}) {
      const Outcome outcome =
          run("bench", {"--and-or-min", "2", "--device", device, "--repetitions", "2",
                        "--batch-size", batch, "--threads", "2", "--json", "-"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const rapidjson::Document json = parse_json(outcome.out);
      EXPECT_EQ(json["queries_answered_by_or"].GetUint(), 2U);
      EXPECT_EQ(json["hits"].GetUint(), 2U + 3 + 3 + 2);
      const auto& by = json["queries_by_processor"];
      EXPECT_EQ(by["cpu"].GetUint() + by["gpu"].GetUint(), 8U);
    }
  }
  const Outcome all = run_warpdex({"bench", file("index"), "--queries", file("log.tsv"), "--mode",
                                   "and", "--device", "cpu", "--repetitions", "1", "--json", "-"});
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(parse_json(all.out)["hits"].GetUint(), 2U + 1 + 0 + 2);
}

}  // namespace
}  // namespace warpdex::test
