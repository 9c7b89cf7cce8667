// Commands that write where the file system has no locks: strace plays such a system.
#include "tests/tools/collection.hpp"
#include "tests/tools/traced_calls.hpp"

namespace warpdex::test {
namespace {

TEST(LockCommand, AFileSystemWithoutLocksIsNamedAsTheCause) {
  WARPDEX_NEEDS_STRACE();
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  write_file(folder / "docs.tsv", "new\tother words\n");
  const std::vector<std::string> index{"index", "--input",  folder / "docs.tsv", "--format",
                                       "tsv",   "--output", folder / "new",      "--quiet"};
  const std::vector<std::string> add{
      "add", folder / "index", "--input", folder / "docs.tsv", "--format", "tsv", "--quiet"};
  for (const std::string code : {"ENOLCK", "EOPNOTSUPP", "ENOSYS"}) {
    const RunSettings settings{
        .under = tracer("/dev/null", {"-e", "trace=flock", "-e", "inject=flock:error=" + code})};
    expect_complaint(run_warpdex(index, settings), 1,
                     {"cannot lock",
                      "the file system there has no locks (flock), which keep two "
                      "writers apart: choose an output on a local disk"});
    expect_complaint(run_warpdex(add, settings), 1,
                     {"has no locks", "copy the index to a local disk"});
    EXPECT_THAT(names_in(folder.path()), ::testing::UnorderedElementsAre("docs.tsv", "index"));
  }
  // Any other error is told as it is.
  expect_complaint(run_warpdex(index, {.under = tracer("/dev/null", {"-e", "trace=flock", "-e",
                                                                     "inject=flock:error=EIO"})}),
                   1, {"cannot lock", "choose an output on another disk"});
}

}  // namespace
}  // namespace warpdex::test
