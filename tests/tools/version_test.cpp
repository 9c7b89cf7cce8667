// Indexes of other versions of their formats: every command names both versions, and none calls
// them damaged.
#include <regex>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

/// Gives the manifest of an index another version.
void set_version(const std::filesystem::path& index, int version) {
  const std::filesystem::path manifest = index / "manifest.json";
  const std::string text = read_file(manifest);
  const std::string changed = std::regex_replace(text, std::regex("\"version\": [0-9]+"),
                                                 "\"version\": " + std::to_string(version));
  ASSERT_NE(changed, text);
  write_file(manifest, changed);
}

void expect_named(const std::vector<std::string>& command, int version, const std::string& reads,
                  const std::string& advice) {
  const Outcome outcome = run_warpdex(command);
  EXPECT_NE(outcome.status, 0) << command[0];
  const std::string said = outcome.out + outcome.err;
  EXPECT_THAT(
      said, ::testing::HasSubstr("is of version " + std::to_string(version) +
                                 " of its format, and this program reads " + reads + "; " + advice))
      << command[0];
  EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("damaged"))) << command[0];
}

TEST(Version, OfAnIndexOfText) {
  const TemporaryFolder folder;
  const std::string index = folder / "index";
  build_small_index(index);
  write_file(folder / "docs.tsv", "new\twords\n");
  write_file(folder / "queries.tsv", "1\tgreen\n");
  const std::vector<std::vector<std::string>> commands{
      {"search", index, "green"},
      {"search", index, "--queries", folder / "queries.tsv"},
      {"stats", index},
      {"verify", index},
      {"add", index, "--input", folder / "docs.tsv", "--format", "tsv"},
      {"delete", index, "--ids", folder / "docs.tsv"},
      {"merge", index},
      {"convert", index, "--codec", "rice", "--output", folder / "other"},
      {"reorder", index, "--output", folder / "other"},
      {"export", index, "--format", "ciff", "--output", folder / "other"},
      {"bench", index, "--queries", folder / "queries.tsv"},
      {"load", index, "--queries", folder / "queries.tsv", "--rate", "10"}};
  for (const auto& [version, advice] :
       {std::pair(9, "use a newer Warpdex, or build the index again"),
        {1, "build the index again"}}) {
    set_version(index, version);
    for (const std::vector<std::string>& command : commands) {
      expect_named(command, version, "versions 2 to 8", advice);
    }
  }
}

TEST(Version, OfAnIndexOfVectors) {
  const TemporaryFolder folder;
  const std::string index = folder / "index";
  write_file(folder / "rows.bvecs", std::string("\x01\0\0\0\x05\x01\0\0\0\x06", 10));
  write_file(folder / "ids.txt", "0\n");
  ASSERT_EQ(run_warpdex(
                {"vector", "build", "--input", folder / "rows.bvecs", "--output", index, "--quiet"})
                .status,
            0);
  const std::vector<std::vector<std::string>> commands{
      {"vector", "search", index, "--queries", folder / "rows.bvecs", "-k", "1"},
      {"vector", "add", index, "--input", folder / "rows.bvecs"},
      {"vector", "remove", index, "--ids", folder / "ids.txt"},
      {"vector", "merge", index},
      {"vector", "graph", index, "-k", "1", "--output", folder / "graph.ivecs"},
      {"vector", "reconstruct", index, "--output", folder / "other.fvecs"},
      {"verify", index}};
  for (const auto& [version, advice] :
       {std::pair(9, "use a newer Warpdex, or build the index again"),
        {0, "build the index again"}}) {
    set_version(index, version);
    for (const std::vector<std::string>& command : commands) {
      expect_named(command, version, "versions 1 to 4", advice);
    }
  }
}

TEST(Version, OfAPermutationIndex) {
  const TemporaryFolder folder;
  const std::string index = folder / "index";
  write_file(folder / "texts", "one\ntwo\nthree\n");
  ASSERT_EQ(run_warpdex({"metric", "build", "--input", folder / "texts", "--distance",
                         "levenshtein", "--permutants", "2", "--output", index})
                .status,
            0);
  set_version(index, 7);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"metric", "search", index, "--queries", folder / "texts", "-k", "1"},
           {"verify", index}}) {
    expect_named(command, 7, "version 1", "use a newer Warpdex, or build the index again");
  }
}

}  // namespace
}  // namespace warpdex::test
