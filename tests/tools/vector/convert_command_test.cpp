// warpdex vector convert, and the table of commands that it stands in.
#include <bit>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

std::string float_bytes(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) text += little(std::bit_cast<std::uint32_t>(value), 4);
  return text;
}

Outcome convert(const std::string& input, const std::string& output,
                const std::vector<std::string>& more = {}, const RunSettings& settings = {}) {
  std::vector<std::string> arguments{"vector", "convert", "--input", input, "--output", output};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_warpdex(arguments, settings);
}

TEST(VectorCommand, ListsItsCommands) {
  const Outcome help = run_warpdex({"vector", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("usage: warpdex vector COMMAND"));
  EXPECT_THAT(help.out, HasSubstr("\n  convert   "));
  EXPECT_THAT(help.out, HasSubstr("\n  evaluate  "));
  const Outcome none = run_warpdex({"vector"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, help.out);
  expect_complaint(run_warpdex({"vector", "convrt"}), 2,
                   {"'convrt'", "'warpdex vector --help' lists"});
  for (const std::string command : {"convert", "evaluate"}) {
    const Outcome detail = run_warpdex({"vector", command, "--help"});
    EXPECT_EQ(detail.status, 0);
    EXPECT_THAT(detail.out, HasSubstr("usage: warpdex vector " + command + " --"));
    EXPECT_THAT(detail.out, HasSubstr("\nexample"));
  }
}

TEST(VectorConvert, FromFormatToFormat) {
  const TemporaryFolder folder;
  write_file(folder / "a.bvecs", little(2, 4) + "ab" + little(2, 4) + "cd" + little(2, 4) + "ef");
  const Outcome outcome = convert(folder / "a.bvecs", folder / "a.FBIN");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a.FBIN: 3 rows of 2 float\n"));
  EXPECT_EQ(read_file(folder / "a.FBIN"),
            little(3, 4) + little(2, 4) + float_bytes({'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(convert(folder / "a.FBIN", folder / "a.npy",
                    {"--type", "half", "--first", "1", "--count", "1", "--quiet"})
                .out,
            "");
  // 99 and 100 as halves.
  EXPECT_EQ(read_file(folder / "a.npy").substr(128), little(0x5630, 2) + little(0x5640, 2));
  EXPECT_THAT(read_file(folder / "a.npy"),
              HasSubstr("'<f2', 'fortran_order': False, 'shape': (1, 2)"));
  EXPECT_EQ(convert(folder / "a.npy", folder / "b.bvecs").status, 0);
  EXPECT_EQ(read_file(folder / "b.bvecs"), little(2, 4) + "cd");
}

TEST(VectorConvert, ThroughHdf5) {
  const TemporaryFolder folder;
  write_file(folder / "a.fvecs", little(2, 4) + float_bytes({1, 2}));
  write_file(folder / "a.ivecs", little(1, 4) + little(5, 4));
  write_file(folder / "d.fvecs", little(2, 4) + float_bytes({1, HUGE_VALF}));
  const std::string all = folder / "all.hdf5";
  EXPECT_EQ(convert(folder / "a.fvecs", all).status, 0);
  EXPECT_EQ(convert(folder / "a.fvecs", all, {"--role", "queries"}).status, 0);
  EXPECT_EQ(convert(folder / "a.ivecs", all, {"--role", "neighbors"}).status, 0);
  EXPECT_EQ(convert(folder / "d.fvecs", all, {"--role", "distances"}).status, 0);
  expect_complaint(convert(folder / "a.fvecs", all), 2, {"all.hdf5", "'train' already"});
  expect_complaint(convert(folder / "d.fvecs", all + ":d"), 1, {"row 0, column 1"});
  for (const std::string name : {"train", "test"}) {
    EXPECT_EQ(convert(all + ":" + name, folder / "b.fvecs").status, 0);
    EXPECT_EQ(read_file(folder / "b.fvecs"), read_file(folder / "a.fvecs"));
  }
  EXPECT_EQ(convert(all, folder / "b.ivecs", {"--role", "neighbors"}).status, 0);
  EXPECT_EQ(read_file(folder / "b.ivecs"), read_file(folder / "a.ivecs"));
  EXPECT_EQ(convert(all, folder / "b.fvecs", {"--role", "distances"}).status, 0);
  EXPECT_EQ(read_file(folder / "b.fvecs"), read_file(folder / "d.fvecs"));
}

TEST(VectorConvert, RefusesLossAndLeavesTheTarget) {
  const TemporaryFolder folder;
  write_file(folder / "out.npy", "old");
  const auto refused = [&](const std::vector<float>& values, const std::string& type,
                           const std::vector<std::string>& parts) {
    write_file(folder / "a.fvecs", little(values.size(), 4) + float_bytes(values) +
                                       little(values.size(), 4) +
                                       std::string(values.size() * 4, '\0'));
    expect_complaint(convert(folder / "a.fvecs", folder / "out.npy", {"--type", type}), 1, parts);
    EXPECT_EQ(read_file(folder / "out.npy"), "old");
  };
  refused({1, 2.5F}, "uint8", {"row 0, column 1", "is 2.5", "uint8"});
  refused({1, 256}, "uint8", {"is 256"});
  refused({-1, 2}, "uint8", {"column 0", "is -1"});
  refused({128, 2}, "int8", {"is 128"});
  refused({65519.99F, 65520}, "half", {"column 1", "is 65520"});
  refused({0, NAN}, "float", {"row 0, column 1", "NaN"});
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a.fvecs", "out.npy"));
}

TEST(VectorConvert, RefusesWhatItCannotTake) {
  const TemporaryFolder folder;
  write_file(folder / "a.fvecs", little(1, 4) + float_bytes({1}));
  const std::string a = folder / "a.fvecs";
  const std::string out = folder / "out.npy";
  std::filesystem::create_symlink("a.fvecs", folder / "link.fvecs");
  std::filesystem::create_hard_link(a, folder / "hard.fvecs");
  for (const std::string same : {"a.fvecs", "link.fvecs", "hard.fvecs"}) {
    expect_complaint(convert(a, folder / same), 2, {"same file"});
  }
  expect_complaint(convert(a, folder / "out.txt"), 2, {"out.txt", ".fvecs"});
  expect_complaint(convert(folder / "none.fvecs", out), 1, {"none.fvecs", "No such file"});
  expect_complaint(convert(a, out, {"--type", "double"}), 2, {"'double'", "float, half"});
  expect_complaint(convert(a, folder / "out.bvecs", {"--type", "float"}), 2, {"uint8 only"});
  expect_complaint(convert(a, out, {"--role", "train"}), 2, {"'train'", "queries"});
  expect_complaint(convert(a, out, {"--count", "2"}), 2, {"has 1 row"});
  expect_complaint(convert(a, out, {"--first", "2"}), 2, {"has 1 row"});
  expect_complaint(convert(a, out, {"--first", "1", "--count", "1"}), 2, {"has 1 row"});
  expect_complaint(convert(a, out, {"--count", "-2"}), 2, {"--count"});
  expect_complaint(convert(a, out, {"--first", "-2"}), 2, {"--first"});
  expect_complaint(run_warpdex({"vector", "convert", "--input", a}), 2, {"--output"});
  EXPECT_EQ(convert(a, out, {"--first", "1"}).status, 0)
      << "no rows are left, and none are asked for";
  EXPECT_EQ(read_file(a), little(1, 4) + float_bytes({1}));
}

TEST(VectorConvert, AFullDiskLeavesTheTarget) {
  const TemporaryFolder folder;
  write_file(folder / "a.u8bin", little(100, 4) + little(4096, 4) + std::string(409'600, 'x'));
  for (const std::string name : {"out.fvecs", "out.npy", "out.fbin"}) {
    write_file(folder / name, "old");
    RunSettings settings;
    settings.file_size_limit = 100'000;
    expect_complaint(convert(folder / "a.u8bin", folder / name, {"--quiet"}, settings), 1,
                     {name, "File too large"});
    EXPECT_EQ(read_file(folder / name), "old");
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a.u8bin", "out.fbin", "out.fvecs", "out.npy"));
}

TEST(VectorConvert, ASignalLeavesTheTarget) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kRows = 1 << 19;
  write_file(folder / "a.u8bin", little(kRows, 4) + little(1024, 4));
  std::filesystem::resize_file(folder / "a.u8bin", 8 + kRows * 1024);  // zeros that take no room
  std::filesystem::create_directory(folder / "out");
  write_file(folder / "out/a.npy", "old");
  RunningWarpdex process(
      {"vector", "convert", "--input", folder / "a.u8bin", "--output", folder / "out/a.npy"});
  for (int i = 0; i < 6000 && names_in(folder / "out").size() < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.send_signal(SIGINT);
  expect_complaint(process.wait(), 128 + SIGINT, {"interrupted"});
  EXPECT_THAT(names_in(folder / "out"), ElementsAre("a.npy"));
  EXPECT_EQ(read_file(folder / "out/a.npy"), "old");
}

TEST(VectorConvert, MemoryDoesNotGrowWithTheFile) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kRows = 1 << 17;
  write_file(folder / "a.u8bin", little(kRows, 4) + little(1024, 4));
  std::filesystem::resize_file(folder / "a.u8bin", 8 + kRows * 1024);
  const Outcome outcome = convert(folder / "a.u8bin", folder / "a.bvecs", {"--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::filesystem::file_size(folder / "a.bvecs"), kRows * 1028);
  write_file(folder / "b.u8bin", little(1, 4) + little(1024, 4) + std::string(1024, 'x'));
  const Outcome small = convert(folder / "b.u8bin", folder / "b.bvecs", {"--quiet"});
  EXPECT_LT(outcome.peak_memory, small.peak_memory + (std::uint64_t{32} << 20));
}

}  // namespace
}  // namespace warpdex::test
