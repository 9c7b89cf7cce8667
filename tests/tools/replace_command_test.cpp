// warpdex index over what is there, and warpdex verify --repair.
#include <unistd.h>

#include <csignal>

#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> arguments_for(const std::string& input, const std::string& output) {
  return {"index", "--input", input, "--format", "tsv", "--output", output, "--quiet"};
}

TEST(ReplaceCommand, RefusesAFolderWithOtherFiles) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  write_file(folder / "index/thesis.tex", "years of work");
  write_file(folder / "index/segment-0/notes", "more");
  // Before the build: the bad document is not come to.
  write_file(folder / "bad.tsv", "no tab\n");
  expect_complaint(run_warpdex(arguments_for(folder / "bad.tsv", folder / "index")), 2,
                   {"'segment-0/notes', 'thesis.tex'", folder / "index"});
  EXPECT_EQ(read_file(folder / "index/thesis.tex"), "years of work");
  EXPECT_EQ(run_warpdex({"verify", folder / "index"}).status, 0);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("bad.tsv", "index"));
}

TEST(ReplaceCommand, RefusesAnIndexOfAnotherKind) {
  const TemporaryFolder folder;
  write_file(folder / "docs.tsv", kTsvDocuments);
  write_file(folder / "words.txt", "apple\npear\nplum\n");
  write_file(folder / "rows.fvecs", fvecs({{0, 1}, {2, 3}, {4, 5}}));
  const std::vector<std::vector<std::string>> builds{
      {"index", "--format", "tsv", "--input", folder / "docs.tsv"},
      {"vector", "build", "--input", folder / "rows.fvecs"},
      {"metric", "build", "--distance", "levenshtein", "--permutants", "2", "--input",
       folder / "words.txt"}};
  const std::vector<std::string> kinds{"an index of text", "an index of vectors",
                                       "a permutation index"};
  for (std::size_t i = 0; i < builds.size(); ++i) {
    const std::string output = folder / ("index" + std::to_string(i));
    for (std::size_t round = 0; round < builds.size() + 1; ++round) {
      const std::size_t j = (i + round) % builds.size();  // its own kind, the others, its own again
      SCOPED_TRACE(kinds[j] + " over " + kinds[i]);
      std::vector<std::string> arguments = builds[j];
      arguments.insert(arguments.end(), {"--output", output});
      const Outcome outcome = run_warpdex(arguments);
      if (i == j) {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
      } else {
        expect_complaint(
            outcome, 2,
            {"'" + output + "' is " + kinds[i] + " and would be replaced by " + kinds[j],
             "remove it or choose another output"});
      }
      EXPECT_EQ(run_warpdex({"verify", output}).status, 0);
    }
  }
}

TEST(ReplaceCommand, RefusesAnInputInItsOutput) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  fs::create_directory(folder / "index/more");
  write_file(folder / "index/more/docs.tsv", kTsvDocuments);
  write_file(folder / "docs.tsv", kTsvDocuments);
  fs::create_symlink(folder / "index/more/docs.tsv", folder / "link.tsv");
  fs::create_directory_symlink(folder / "index", folder / "alias");
  const std::vector<std::string> inputs{folder / "index/more/docs.tsv", "docs.tsv", "../more",
                                        folder / "link.tsv", folder / "index"};
  for (const std::string& input : inputs) {
    for (const std::string output : {folder / "index", folder / "alias"}) {
      const Outcome outcome =
          run_warpdex(arguments_for(input, output), {.current_folder = folder / "index/more"});
      expect_complaint(outcome, 2, {"the input '" + input + "' lies in the output '" + output});
    }
  }
  std::vector<std::string> arguments = arguments_for(folder / "docs.tsv", folder / "index");
  arguments.insert(arguments.end(), {"--static", folder / "index/more/docs.tsv"});
  expect_complaint(run_warpdex(arguments), 2, {"more/docs.tsv' lies in the output"});
  EXPECT_EQ(read_file(folder / "index/more/docs.tsv"), kTsvDocuments);
  fs::remove_all(folder / "index/more");
  EXPECT_EQ(run_warpdex(arguments_for(folder / "docs.tsv", folder / "alias")).status, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "alias"));
}

TEST(ReplaceCommand, TakesTheCurrentFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "index");
  write_file(folder / "docs.tsv", kTsvDocuments);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> arguments = arguments_for("../docs.tsv", ".");
    arguments.pop_back();
    const Outcome outcome = run_warpdex(arguments, {.current_folder = folder / "index"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("built ."));
    EXPECT_THAT(outcome.err, HasSubstr("'cd .'"));
    const Outcome search =
        run_warpdex({"search", ".", "sky"}, {.current_folder = folder / "index"});
    EXPECT_THAT(search.out, HasSubstr("d4"));
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("docs.tsv", "index"));
}

TEST(ReplaceCommand, TellsOfAnotherBuild) {
  const TemporaryFolder folder;
  write_file(folder / "docs.tsv", kTsvDocuments);
  RunningWarpdex first(arguments_for("-", folder / "index"));
  first.send_input("a\tfirst\n");
  while (names_in(folder.path()).size() < 3) ::usleep(1000);  // its lock and its folder
  const std::string told = "is being written by process ";
  expect_complaint(run_warpdex(arguments_for(folder / "docs.tsv", folder / "index")), 1, {told});
  expect_complaint(run_warpdex({"verify", "--repair", folder / "index"}), 1, {told});
  first.send_signal(SIGKILL);
  first.wait();
  EXPECT_EQ(run_warpdex(arguments_for(folder / "docs.tsv", folder / "index")).status, 0);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("docs.tsv", "index"));
}

TEST(ReplaceCommand, FindsBeforeTheBuildThatANameIsTooLong) {
  const TemporaryFolder folder;
  write_file(folder / "bad.tsv", "no tab\n");
  const std::string name(250, 'x');
  expect_complaint(run_warpdex(arguments_for(folder / "bad.tsv", folder / name)), 2,
                   {"is too long", "234 bytes"});
}

TEST(VerifyCommand, RepairsWhatADeadBuildLeft) {
  const TemporaryFolder folder;
  const fs::path index = folder / "index";
  build_small_index(index);
  const Outcome nothing = run_warpdex({"verify", index, "--repair"});
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_THAT(nothing.out, ::testing::StartsWith(index.string() + " is whole"));

  fs::copy(index, folder / ".index.building-abcdef", fs::copy_options::recursive);
  fs::rename(index, folder / ".index.building-abcdef-old");
  expect_complaint(run_warpdex({"search", index, "sky"}), 1,
                   {"'warpdex verify --repair " + index.string()});
  expect_complaint(run_warpdex({"verify", index}), 1, {"verify --repair"});
  const Outcome repaired = run_warpdex({"verify", index, "--repair"});
  EXPECT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_THAT(repaired.out, HasSubstr("put back " + index.string()));
  EXPECT_THAT(repaired.out, HasSubstr("removed 1 folder"));
  EXPECT_THAT(repaired.out, HasSubstr("is whole"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("index"));
  EXPECT_THAT(run_warpdex({"search", index, "sky"}).out, HasSubstr("d4"));
  expect_complaint(run_warpdex({"verify", folder / "nothing", "--repair"}), 1,
                   {"there is no index"});
}

}  // namespace
}  // namespace warpdex::test
