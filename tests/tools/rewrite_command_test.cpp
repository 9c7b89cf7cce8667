// warpdex reorder, convert, split and index --reorder: what they write, bad input, full disks,
// signals.
#include <csignal>
#include <map>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path()] = read_file(entry.path());
  }
  return files;
}

/// Of `clusters` kinds in turn, so that neighbours have little in common.
std::string mixed_documents(int documents, int clusters) {
  std::mt19937_64 random = generator(600);
  std::string text;
  for (int i = 0; i < documents; ++i) {
    text += "d" + std::to_string(i) + "\t";
    for (int word = 0; word < 30; ++word) {
      text += 'c' + std::to_string(i % clusters) + 'w' + std::to_string(random() % 60) + ' ';
    }
    text += "everywhere\n";
  }
  return text;
}

class RewriteCommands : public testing::Test {
 protected:
  void build(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "index",      "--input",  folder_ / "docs.tsv", "--format",     "tsv",
        "--analyzer", "standard", "--output",           folder_ / name, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_warpdex(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  void expect_equal(const std::string& one, const std::string& other) {
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / one)) {
      if (!entry.is_regular_file()) continue;
      const fs::path name = entry.path().lexically_relative(folder_ / one);
      EXPECT_EQ(read_file(entry.path()), read_file(folder_ / other / name)) << name;
    }
  }

  void SetUp() override { write_file(folder_ / "docs.tsv", mixed_documents(4000, 40)); }

  const TemporaryFolder folder_{place_in_memory()};
};

TEST_F(RewriteCommands, ReorderGivesASmallerIndexOfTheSameAnswers) {
  build("index", {"--codec", "pfor-block"});
  const Outcome outcome =
      run_warpdex({"reorder", folder_ / "index", "--output", folder_ / "new", "--threads", "2"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const std::string part : {"reordered ", "4,000", "index before", "of 2 postings and more"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_EQ(run_warpdex({"verify", folder_ / "new"}).status, 0);
  const auto bytes = [&](const std::string& index) {
    const Outcome stats = run_warpdex({"stats", folder_ / index, "--json", "-"});
    return parse_json(stats.out)["bits_per_posting"]["docIDs"].GetDouble() +
           parse_json(stats.out)["bits_per_posting"]["short lists, docIDs and frequencies"]
               .GetDouble();
  };
  EXPECT_LT(bytes("new"), 0.7 * bytes("index"));
  std::string queries;
  for (int i = 0; i < 40; ++i) {
    queries += std::to_string(i) + "\tc" + std::to_string(i) + "w7 c" + std::to_string(i) + "w9\n";
  }
  const auto run = [&](const std::string& index) {  // sorted by name, as ties may come otherwise
    std::istringstream lines(
        run_warpdex({"search", folder_ / index, "--queries", "-", "-k", "10000"}, {queries}).out);
    std::set<std::string> hits;
    std::string query, q0, name, rank, score;
    while (lines >> query >> q0 >> name >> rank >> score >> q0) {
      hits.insert(query + ' ' + name + ' ' + score);
    }
    return hits;
  };
  EXPECT_GT(run("index").size(), 1000U);
  EXPECT_EQ(run("index"), run("new"));
}

TEST_F(RewriteCommands, ABuildMayReorder) {
  build("index", {"--threads", "1"});
  ASSERT_EQ(run_warpdex({"reorder", folder_ / "index", "--output", folder_ / "expected"}).status,
            0);
  const Outcome outcome =
      run_warpdex({"index", "--input", folder_ / "docs.tsv", "--format", "tsv", "--analyzer",
                   "standard", "--reorder", "--output", folder_ / "new"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("time for the order"));
  expect_equal("expected", "new");
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("docs.tsv", "expected", "index", "new"));
}

TEST_F(RewriteCommands, ConvertGivesTheBytesOfABuild) {
  for (const std::vector<std::string>& codec :
       {std::vector<std::string>{"--codec", "bitpack"},
        {"--codec", "pfor", "--pfor-levels", "3"},
        {"--codec", "pfor-block", "--no-bit-sets"},
        {"--codec", "rice", "--impacts", "--impact-b", "0.7"}}) {
    build("index", {"--codec", "pfor"});
    build("expected", codec);
    std::vector<std::string> arguments{"convert", folder_ / "index", "--output", folder_ / "index"};
    arguments.insert(arguments.end(), codec.begin(), codec.end());
    const Outcome outcome = run_warpdex(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("converted "));
    expect_equal("expected", "index");
  }
}

TEST_F(RewriteCommands, ConvertKeepsTheCodecThatIsNotNamed) {
  build("index", {"--codec", "pfor", "--pfor-levels", "3", "--no-bit-sets"});
  const auto convert = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"convert", folder_ / "index", "--output", folder_ / "new"});
    return run_warpdex(more);
  };
  build("expected", {"--codec", "pfor", "--pfor-levels", "3", "--no-bit-sets", "--impacts"});
  ASSERT_EQ(convert({"--impacts"}).status, 0);
  expect_equal("expected", "new");
  build("expected", {"--codec", "pfor", "--pfor-levels", "1", "--no-bit-sets"});
  ASSERT_EQ(convert({"--pfor-levels", "1"}).status, 0);
  expect_equal("expected", "new");
  build("expected", {"--codec", "pfor"});
  ASSERT_EQ(convert({"--codec", "pfor"}).status, 0);
  expect_equal("expected", "new");
  build("index", {"--codec", "rice"});
  expect_complaint(convert({"--pfor-levels", "2"}), 2, {"leave it out for rice"});
}

TEST_F(RewriteCommands, SplitGivesTheBytesOfABuildOfEachRange) {
  build("index");
  const Outcome outcome = run_warpdex(
      {"split", folder_ / "index", "--into", "3", "--output", folder_ / "new", "--threads", "2"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const std::string part : {"into 3 parts", "part-2", "1,333", "1,334"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  build("built", {"--parts", "3"});
  expect_equal("new", "built");
  std::istringstream lines(mixed_documents(4000, 40));
  std::string line;
  for (const int part : {0, 1, 2}) {
    std::string documents;
    for (int i = 4000 * part / 3; i < 4000 * (part + 1) / 3; ++i) {
      std::getline(lines, line);
      documents += line + "\n";
    }
    write_file(folder_ / "docs.tsv", documents);
    build("expected");
    expect_equal("expected", "new/part-" + std::to_string(part));
  }
  expect_complaint(
      run_warpdex({"split", folder_ / "index", "--into", "4001", "--output", folder_ / "new"}), 2,
      {"too few for 4001 parts", "ask for fewer"});
  expect_complaint(
      run_warpdex({"split", folder_ / "index", "--into", "0", "--output", folder_ / "new"}), 2,
      {"--into"});
}

TEST_F(RewriteCommands, WorkInTheFolderThatTheyReplace) {
  build("index");
  build("expected", {"--codec", "bitpack"});
  const Outcome outcome = run_warpdex({"convert", ".", "--codec", "bitpack", "--output", "."},
                                      {.current_folder = folder_ / "index"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "warpdex: the current folder was replaced by the index; 'cd .' enters it\n");
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr(" 0 B")));
  expect_equal("expected", "index");
}

TEST_F(RewriteCommands, RefuseBadArguments) {
  build("index");
  const std::string index = folder_ / "index";
  const std::string to = folder_ / "to";
  const auto before = files_of(folder_.path());
  expect_complaint(run_warpdex({"reorder", folder_ / "none", "--output", to}), 1, {"no index"});
  expect_complaint(run_warpdex({"convert", folder_ / "none", "--codec", "rice", "--output", to}), 1,
                   {"no index"});
  expect_complaint(run_warpdex({"reorder", index}), 2, {"--output"});
  expect_complaint(run_warpdex({"reorder", index, "--output", ""}), 2, {"--output is empty"});
  expect_complaint(run_warpdex({"reorder", "", "--output", to}), 2, {"INDEX is empty"});
  expect_complaint(run_warpdex({"reorder", index, "--output", index + "/to"}), 2,
                   {"lies in the index"});
  expect_complaint(run_warpdex({"convert", index, "--codec", "rice", "--output",
                                index + "/segment-0/../deep/to"}),
                   2, {"lies in the index"});
  expect_complaint(run_warpdex({"reorder", index, "--output", folder_.path()}), 2,
                   {"is not an index"});
  expect_complaint(run_warpdex({"convert", index, "--output", to}), 2,
                   {"give --codec, --impacts or both"});
  expect_complaint(run_warpdex({"convert", index, "--codec", "zip", "--output", to}), 2, {"zip"});
  expect_complaint(
      run_warpdex({"convert", index, "--codec", "rice", "--pfor-levels", "2", "--output", to}), 2,
      {"--pfor-levels is for --codec pfor"});
  expect_complaint(
      run_warpdex({"convert", index, "--codec", "rice", "--impact-b", "0.2", "--output", to}), 2,
      {"--impact-b is for --impacts"});
  expect_complaint(run_warpdex({"convert", index, "--codec", "rice", "--impacts", "--impact-k1",
                                "-1", "--output", to}),
                   2, {"k1"});
  expect_complaint(run_warpdex({"reorder", index, "--memory", "1M", "--output", to}), 2, {"64M"});
  expect_complaint(run_warpdex({"reorder", index, "--min-list", "1", "--output", to}), 2,
                   {"--min-list"});
  EXPECT_EQ(files_of(folder_.path()), before);
}

TEST_F(RewriteCommands, DamageIsNamedAndTheTargetStays) {
  build("index");
  build("target");
  const fs::path section = folder_ / "index/segment-0/frequencies";
  std::string bytes = read_file(section);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  write_file(section, bytes);
  const auto before = files_of(folder_.path());
  for (const std::string output : {"target", "index", "new"}) {
    expect_complaint(run_warpdex({"reorder", folder_ / "index", "--output", folder_ / output}), 1,
                     {"damaged (section 'frequencies')"});
    expect_complaint(run_warpdex({"convert", folder_ / "index", "--codec", "bitpack", "--output",
                                  folder_ / output}),
                     1, {"damaged (section 'frequencies')"});
  }
  fs::resize_file(section, 100);
  expect_complaint(run_warpdex({"reorder", folder_ / "index", "--output", folder_ / "target"}), 1,
                   {"frequencies"});
  write_file(section, read_file(folder_ / "target/segment-0/frequencies"));
  write_file(folder_ / "index/segment-0/frequencies", before.at(section));
  EXPECT_EQ(files_of(folder_.path()), before);
}

TEST_F(RewriteCommands, AFullDiskLeavesTheOldIndex) {
  build("index");
  const auto before = files_of(folder_.path());
  for (const std::uint64_t limit : {600, 1 << 12, 1 << 15}) {
    for (const std::string output : {"index", "new"}) {
      expect_complaint(run_warpdex({"reorder", folder_ / "index", "--output", folder_ / output},
                                   {.file_size_limit = limit}),
                       1, {"cannot write"});
      expect_complaint(run_warpdex({"convert", folder_ / "index", "--codec", "bitpack", "--output",
                                    folder_ / output},
                                   {.file_size_limit = limit}),
                       1, {"cannot write"});
      expect_complaint(run_warpdex({"index", "--input", folder_ / "docs.tsv", "--format", "tsv",
                                    "--reorder", "--output", folder_ / output},
                                   {.file_size_limit = limit}),
                       1, {"cannot write"});
      EXPECT_EQ(files_of(folder_.path()), before);
    }
  }
}

// At each of the calls by which the index is replaced in place.
TEST_F(RewriteCommands, AKillLeavesTheOldIndexOrTheNew) {
  if (run_warpdex({"--version"}, {.under = {"strace", "-f", "-o", "/dev/null"}}).status != 0) {
    GTEST_SKIP() << "strace is not here or may not trace; install strace";
  }
  build("index", {"--codec", "rice"});
  const auto codec = [&] {
    const Outcome stats = run_warpdex({"stats", folder_ / "index", "--json", "-"});
    return std::string(parse_json(stats.out)["codec"].GetString());
  };
  int killed = 0;
  int replaced = 0;
  for (const std::string call :
       {"fsync:when=1", "fsync:when=12", "fsync:when=22", "renameat2:when=1", "renameat2:when=2",
        "unlink:when=1", "unlink:when=9"}) {
    const std::string before = codec();
    const std::string wished = before == "rice" ? "bitpack" : "rice";
    const std::size_t split = call.find(':');
    const Outcome outcome = run_warpdex(
        {"convert", folder_ / "index", "--codec", wished, "--threads", "1", "--output",
         folder_ / "index"},
        {.under = {"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call.substr(0, split),
                   "-e", "inject=" + call.substr(0, split) + ":signal=KILL" + call.substr(split)}});
    killed += outcome.status == -SIGKILL ? 1 : 0;
    EXPECT_TRUE(codec() == before || codec() == wished) << call;
    replaced += codec() == wished ? 1 : 0;
    EXPECT_EQ(run_warpdex({"verify", folder_ / "index", "--repair"}).status, 0) << call;
    EXPECT_THAT(names_in(folder_.path()), ElementsAre("docs.tsv", "index")) << call;
  }
  EXPECT_GE(killed, 5);
  EXPECT_GE(replaced, 1);
  EXPECT_LT(replaced, 6);
}

TEST_F(RewriteCommands, ASignalEndsThem) {
  if (run_warpdex({"--version"}, {.under = {"strace", "-f", "-o", "/dev/null"}}).status != 0) {
    GTEST_SKIP() << "strace is not here or may not trace; install strace";
  }
  build("index");
  const auto before = files_of(folder_.path());
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"reorder", folder_ / "index"},
        {"convert", folder_ / "index", "--codec", "bitpack"}}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--output", folder_ / "index"});
    expect_complaint(
        run_warpdex(all, {.under = {"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync",
                                    "-e", "inject=fsync:signal=INT:when=3"}}),
        130, {"interrupted"});
    EXPECT_EQ(files_of(folder_.path()), before);
  }
}

}  // namespace
}  // namespace warpdex::test
