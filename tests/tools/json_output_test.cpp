// What all commands write as JSON: parse_json() reads it strictly.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

/// Bytes that are not UTF-8, as names of folders and files, ids and tags may hold.
const std::string kStray = "caf\xE9";
const std::string kStrayInJson = "caf\\xE9";

TEST(JsonOutput, IsStrictForStrayBytesInNames) {
  const TemporaryFolder folder;
  const std::string index = folder / kStray;
  const std::string log = folder / (kStray + ".tsv");
  build_small_index(index);
  write_file(log, "q1\tgreen tree\nq2\tpear\n");
  const auto json_of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = run_warpdex(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse_json(outcome.out);
  };
  const std::string named = folder / kStrayInJson;
  EXPECT_EQ(json_of({"stats", index})["folder"].GetString(), named);
  const rapidjson::Document bench = json_of({"bench", index, "--queries", log});
  EXPECT_EQ(bench["index"]["folder"].GetString(), named);
  EXPECT_EQ(bench["queries"]["file"].GetString(), named + ".tsv");
  EXPECT_EQ(json_of({"codecs", index})["index"].GetString(), named);
  const rapidjson::Document compared =
      json_of({"generate", "--output", folder / "made", "--documents", "2000", "--queries", "20",
               "--compare", index, "--compare-queries", log});
  EXPECT_EQ(compared["compared_with"].GetString(), named);

  build_small_index(folder / "impacts", {"--impacts"});
  EXPECT_TRUE(json_of({"stats", folder / "impacts"}).HasMember("impacts"));
  EXPECT_STREQ(
      json_of({"bench", folder / "impacts", "--queries", log})["scorer"]["name"].GetString(),
      "impacts");
}

TEST(JsonOutput, OfEvaluateNamesQueriesWhateverTheirBytes) {
  const TemporaryFolder folder;
  write_file(folder / "qrels", "\xFF 0 a 1\n\xFE 0 a 1\n\\x 0 a 1\n");
  write_file(folder / "run", "\xFF Q0 a 1 9 t\xFF\n\xFE Q0 b 1 9 t\n\\x Q0 b 1 9 t\xFF\n");
  const Outcome outcome =
      run_warpdex({"evaluate", "--qrels", folder / "qrels", "--run", folder / "run", "--per-query",
                   "--measures", "MAP,P@5,map,P_5,P", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  EXPECT_STREQ(json["run"].GetString(), "t\\xFF");
  EXPECT_EQ(json["all"].MemberCount(), 10U);  // map, and P at nine ranks
  ASSERT_EQ(json["queries"].MemberCount(), 3U);
  EXPECT_EQ(json["queries"]["\\xFF"]["map"].GetDouble(), 1);
  EXPECT_EQ(json["queries"]["\\xFE"]["map"].GetDouble(), 0);
  EXPECT_EQ(json["queries"]["\\x"]["map"].GetDouble(), 0);
}

}  // namespace
}  // namespace warpdex::test
