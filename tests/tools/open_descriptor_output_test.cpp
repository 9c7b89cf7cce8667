// Outputs that go to descriptors which a shell opened: by >>, >, |, and by numbers.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class OpenDescriptorOutput : public testing::Test {
 protected:
  OpenDescriptorOutput() {
    build_small_index(folder_ / "index");
    write_file(folder_ / "queries.tsv", "1\tpear\n");
    write_file(folder_ / "base.fvecs", fvecs({{0, 0}, {3, 4}}));
    const Outcome built = run_warpdex({"vector", "build", "--input", folder_ / "base.fvecs",
                                       "--output", folder_ / "vectors", "--index", "flat"});
    EXPECT_EQ(built.status, 0) << built.err;
  }

  /// Runs it as `script` says, where "$@" is warpdex and its arguments. The script works in the
  /// test's folder.
  Outcome run(const std::string& script, const std::vector<std::string>& arguments) {
    RunSettings settings;
    settings.current_folder = folder_.path();
    settings.under = {"sh", "-c", script, "sh"};
    return run_warpdex(arguments, settings);
  }
  std::vector<std::string> search(const std::string& output) const {
    return {"search", "index", "--queries", "queries.tsv", "--scorer", "qld", "--output", output};
  }
  std::string run_lines() {
    const Outcome outcome = run("\"$@\"", search("-"));
    EXPECT_THAT(outcome.out, StartsWith("1 Q0 d5 1 "));
    return outcome.out;
  }
  TemporaryFolder folder_;
};

TEST_F(OpenDescriptorOutput, IsAddedToWhatIsThere) {
  const std::string lines = run_lines();
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    write_file(folder_ / "log", "earlier\n");
    const Outcome outcome = run("\"$@\" >> log", search(name));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(folder_ / "log"), "earlier\n" + lines) << name;
  }
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" 2>> log", search("/dev/stderr")).status, 0);
  EXPECT_EQ(read_file(folder_ / "log"), "earlier\n" + lines);
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" 7>> log", search("/dev/fd/7")).status, 0);
  EXPECT_EQ(read_file(folder_ / "log"), "earlier\n" + lines);
  std::filesystem::create_symlink("/dev/stdout", folder_ / "link");
  EXPECT_EQ(run("\"$@\" >> log", search("link")).status, 0);
  EXPECT_EQ(read_file(folder_ / "log"), "earlier\n" + lines + lines);
}

TEST_F(OpenDescriptorOutput, StandsBetweenWhatOthersWrite) {
  const std::string lines = run_lines();
  for (const std::string name : {"/dev/stdout", "/dev/fd/1"}) {
    EXPECT_EQ(run("{ echo head; \"$@\"; echo tail; } > log", search(name)).status, 0);
    EXPECT_EQ(read_file(folder_ / "log"), "head\n" + lines + "tail\n") << name;
    EXPECT_EQ(run("{ echo head; \"$@\"; echo tail; } | cat", search(name)).out,
              "head\n" + lines + "tail\n")
        << name;
  }
}

TEST_F(OpenDescriptorOutput, JsonAndPlotsAreAddedAsWell) {
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" >> log", {"stats", "index", "--json", "/dev/stdout"}).status, 0);
  // Nothing else is written there, as with "-".
  EXPECT_THAT(read_file(folder_ / "log"), StartsWith("earlier\n{"));
  EXPECT_TRUE(parse_json(read_file(folder_ / "log").substr(8)).IsObject());
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" 2>> log > /dev/null", {"stats", "vectors", "--json", "/dev/stderr"}).status,
            0);
  EXPECT_TRUE(parse_json(read_file(folder_ / "log").substr(8)).IsObject());
  write_file(folder_ / "log", "earlier\n");
  const Outcome plotted =
      run("\"$@\" 4>> log", {"vector", "bench", "vectors", "--queries", "base.fvecs", "-k", "1",
                             "--batch-sizes", "1", "--repetitions", "1", "--plot", "/dev/fd/4"});
  EXPECT_EQ(plotted.status, 0) << plotted.err;
  EXPECT_THAT(read_file(folder_ / "log"), StartsWith("earlier\n<svg"));
}

TEST_F(OpenDescriptorOutput, VectorsAndExportsAreAddedAsWell) {
  const std::vector<std::string> nearest{"vector", "search", "vectors",  "--queries",  "base.fvecs",
                                         "-k",     "1",      "--output", "/dev/stdout"};
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" >> log", nearest).status, 0);
  EXPECT_EQ(read_file(folder_ / "log"), "earlier\n0\t0\t0\n1\t1\t0\n");
  // The suffix says what a link gets.
  std::filesystem::create_symlink("/dev/fd/5", folder_ / "found.ivecs");
  std::vector<std::string> rows = nearest;
  rows.back() = "found.ivecs";
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" 5>> log", rows).status, 0);
  EXPECT_EQ(read_file(folder_ / "log"), "earlier\n" + vecs<std::int32_t>({{0}, {1}}));
  write_file(folder_ / "log", "earlier\n");
  EXPECT_EQ(run("\"$@\" >> log", {"export", "index", "--format", "ciff", "--output", "/dev/stdout"})
                .status,
            0);
  const Outcome alone = run("\"$@\"", {"export", "index", "--format", "ciff", "--output", "-"});
  EXPECT_EQ(read_file(folder_ / "log"), "earlier\n" + alone.out);
}

TEST_F(OpenDescriptorOutput, OneThatNobodyOpenedIsNamed) {
  expect_complaint(run("\"$@\"", search("/dev/fd/39")), 1, {"/dev/fd/39", "name another target"});
  // Two outputs cannot share it.
  expect_complaint(run("\"$@\"", {"vector", "search", "vectors", "--queries", "base.fvecs", "-k",
                                  "1", "--output", "-", "--json", "/dev/stdout"}),
                   2, {"--output", "--json"});
}

}  // namespace
}  // namespace warpdex::test
