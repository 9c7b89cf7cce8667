// The top of the program, its helps, and the numbers that options take.
#include "options/options.hpp"

#include <algorithm>
#include <sstream>

#include "options/hybrid_options.hpp"
#include "tests/tools/collection.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using tools::parse_size;

TEST(Program, HelpListsEveryCommandAndEachExplainsItself) {
  const Outcome outcome = run_warpdex({"--help"});
  EXPECT_EQ(outcome.status, 0);
  for (const std::string name : {"index", "search", "bench", "stats", "verify", "evaluate"}) {
    EXPECT_THAT(outcome.out, HasSubstr("\n  " + name + " "));
    const Outcome help = run_warpdex({name, "--help"});
    EXPECT_EQ(help.status, 0) << help.err;
    EXPECT_THAT(help.out, HasSubstr("usage: warpdex " + name));
    EXPECT_EQ(help.err, "");
  }
}

TEST(HybridOptions, EachHalfFindsAsManyAsTheAnswerHasUnlessTold) {
  for (const bool is_told : {false, true}) {
    tools::CommandLine command("search", "", "");
    tools::HybridOptions options;
    options.add_to(command);
    std::vector<std::string> arguments;
    if (is_told) arguments = {"--fusion-depth", "70"};
    ASSERT_TRUE(command.parse(arguments));
    EXPECT_EQ(options.fusion(10).depth, is_told ? 70U : 1'000U);
    EXPECT_EQ(options.fusion(3'000).depth, is_told ? 70U : 3'000U);
  }
}

TEST(Program, HelpOfACommandIsThatOfTheCommand) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"search"},
                                                  {"vector", "build"},
                                                  {"vector"},
                                                  {"metric", "search"}}) {
    std::vector<std::string> before = command;
    before.insert(before.begin(), "help");
    std::vector<std::string> after = command;
    after.emplace_back("--help");
    const Outcome help = run_warpdex(before);
    EXPECT_EQ(help.status, 0) << help.err;
    EXPECT_EQ(help.out, run_warpdex(after).out);
    EXPECT_THAT(help.out, HasSubstr("usage: warpdex " + command.front()));
  }
  expect_complaint(run_warpdex({"help", "frobnicate"}), 2, {"'frobnicate'", "--help"});
}

TEST(Program, LinesOfHelpFitAHundredColumns) {
  std::istringstream commands(run_warpdex({"--help"}).out);
  std::size_t seen = 0;
  for (std::string line; std::getline(commands, line);) {
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    std::istringstream help(run_warpdex({name, "--help"}).out);
    ++seen;
    for (std::string text; std::getline(help, text);) {
      // A character of several bytes is one column.
      const auto columns = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_LE(columns, 100) << name << ": " << text;
    }
  }
  EXPECT_GE(seen, 18U);
}

TEST(Program, HelpNamesTheDefaults) {
  const std::string search = run_warpdex({"search", "--help"}).out;
  for (const std::string part : {"--mode MODE (=or)", "N (=10)", "FORMAT (=trec)", "X (=0.9)",
                                 "X (=0.4)", "X (=1000)", "FORM (=lucene)"}) {
    EXPECT_THAT(search, HasSubstr(part));
  }
  const std::string index = run_warpdex({"index", "--help"}).out;
  for (const std::string part : {"WHAT (=fail)", "(=contents)", "A (=english)"}) {
    EXPECT_THAT(index, HasSubstr(part));
  }
  EXPECT_LT(index.find("--impact-k1"), index.find("--impact-b"));
  EXPECT_LT(index.find("--impact-b"), index.find("--no-forward"));
  // Only a search prints answers unasked.
  EXPECT_THAT(search, HasSubstr("Default: standard output"));
  EXPECT_THAT(run_warpdex({"bench", "--help"}).out, HasSubstr("Default: nowhere"));
  // What must be given has no default.
  const std::string convert = run_warpdex({"convert", "--help"}).out;
  EXPECT_THAT(convert, HasSubstr("--codec CODEC "));
  EXPECT_EQ(convert.find("CODEC (="), convert.npos);
}

TEST(Program, SaysWhatItDoesNotKnow) {
  expect_complaint(run_warpdex({"frobnicate"}), 2, {"'frobnicate'", "--help"});
  expect_complaint(run_warpdex({"verify", "a", "b"}), 2, {"'b' belongs to no option"});
  const Outcome nothing = run_warpdex({});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("usage: warpdex"));
  EXPECT_THAT(run_warpdex({"--version"}).out, HasSubstr("warpdex "));
}

TEST(Program, SaysWhereAnArgumentTooManyBelongs) {
  expect_complaint(run_warpdex({"index", "d.jsonl"}), 2,
                   {"'d.jsonl' belongs to no option", "--input"});
  expect_complaint(run_warpdex({"index", "--input", "a", "--format", "tsv", "--output", "b", "c"}),
                   2, {"'c' belongs to no option", "--input"});
  expect_complaint(run_warpdex({"stats", "a", "b"}), 2, {"'b' belongs to no option", "--help"});
  expect_complaint(run_warpdex({"evaluate", "q", "r"}), 2, {"'q' belongs to no option", "--help"});
}

TEST(Program, SaysWhichNumbersAnOptionTakes) {
  const auto says = [](const std::vector<std::string>& option, const std::string& sentence) {
    std::vector<std::string> arguments{"search", "index", "word"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    expect_complaint(run_warpdex(arguments), 2, {sentence});
  };
  says({"-k", "many"}, "-k takes a whole number, not 'many'");
  says({"--k", "1.5"}, "-k takes a whole number, not '1.5'");
  says({"-k", ""}, "-k takes a whole number, not ''");
  says({"-k", "99999999999999999999"}, "-k takes a smaller number than '99999999999999999999'");
  says({"-k", "1-5"}, "-k takes a whole number, not '1-5'");
  says({"-k", "-99999999999999999999"}, "-k takes a larger number than '-99999999999999999999'");
  for (const std::string malformed : {"much", "1.5.5", "1e5e5", "1.5e", "1+5", "5x", "-", "+-5"}) {
    says({"--k1=" + malformed}, "--k1 takes a number, not '" + malformed + "'");
  }
  says({"--k1", "1e300"}, "--k1 takes a smaller number than '1e300'");
  says({"--k1", "1e999"}, "--k1 takes a smaller number than '1e999'");
  says({"--k1", "+1e999"}, "--k1 takes a smaller number than '+1e999'");
  says({"--k1=-1e300"}, "--k1 takes a larger number than '-1e300'");
  says({"--k1", "-1e999"}, "--k1 takes a larger number than '-1e999'");
  says({"-draft"}, "an argument that begins with a dash follows --");
  expect_complaint(run_warpdex({"vector", "search", "index", "--queries", "q", "-k", "many"}), 2,
                   {"-k takes a whole number, not 'many'"});
  expect_complaint(run_warpdex({"stats", "-draft"}), 2, {"'-draft'", "--help"});
}

TEST(Program, EmptyValuesAreRefused) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  write_file(folder / "log.tsv", "1\tgreen\n");
  const std::string index = folder / "index";
  const std::vector<std::string> with_log{index, "--queries", folder / "log.tsv"};
  const auto with = [](std::string command, std::vector<std::string> arguments,
                       const std::vector<std::string>& more) {
    arguments.insert(arguments.begin(), std::move(command));
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  for (const std::string value : {"", " "}) {
    for (const std::string option : {"--ks", "--modes", "--json", "--scorer", "--topic-fields"}) {
      expect_complaint(with("calibrate", with_log, {option, value}), 2,
                       {option + " is empty; give it a value, or leave it out"});
    }
    expect_complaint(with("search", {index}, {"green", "--show", value}), 2, {"--show is empty"});
  }
  for (const std::string option : {"--ks", "--modes"}) {
    expect_complaint(with("calibrate", with_log, {option, ","}), 2,
                     {option + " names nothing; give one or more, with commas between them"});
  }
  expect_complaint(with("calibrate", with_log, {"--ks="}), 2, {"--ks is empty; give it a value"});
  expect_complaint(with("search", {index}, {"green", "--k="}), 2, {"-k is empty; give it a value"});
  // An argument that is no option's may be empty.
  EXPECT_EQ(run_warpdex({"search", index, "green", ""}).status, 0);
}

TEST(Program, StandardStreamsAreTakenOnce) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  write_file(folder / "log.tsv", "q1\tgreen\n");
  const auto refuses = [](const std::vector<std::string>& arguments,
                          const std::vector<std::string>& parts) {
    const Outcome outcome = run_warpdex(arguments, {"d1\t1\n", {}, {}});
    expect_complaint(outcome, 2, parts);
  };
  refuses({"index", "--input", "-", "--static", "-", "--format", "tsv", "--output", folder / "new"},
          {"--input and --static are both '-'", "standard input"});
  refuses({"index", "--input", "x", "-", "--static", "-", "--format", "text", "--output",
           folder / "new"},
          {"--input and --static are both '-'"});
  refuses({"index", "--input", "-", "-", "--format", "tsv", "--output", folder / "new"},
          {"standard input", "more than once"});
  refuses({"evaluate", "--qrels", "-", "--run", "-"}, {"--qrels and --run", "standard input"});
  refuses({"codecs", folder / "index", "--json", "-", "--plot", "-"},
          {"--json and --plot", "standard output"});
  refuses(
      {"bench", folder / "index", "--queries", folder / "log.tsv", "--json", "-", "--output", "-"},
      {"--json and --output", "standard output"});
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST(Options, SizesTakeUnits) {
  EXPECT_EQ(parse_size("--memory", "512M"), 512ULL << 20);
  EXPECT_EQ(parse_size("--memory", "2G"), 2ULL << 30);
  EXPECT_EQ(parse_size("--memory", "2GiB"), 2ULL << 30);
  EXPECT_EQ(parse_size("--memory", "2gb"), 2'000'000'000ULL);
  EXPECT_EQ(parse_size("--memory", "1.5k"), 1536ULL);
  EXPECT_EQ(parse_size("--memory", "1T"), 1ULL << 40);
  EXPECT_EQ(parse_size("--memory", "100"), 100ULL);
  EXPECT_EQ(parse_size("--memory", "100B"), 100ULL);
  for (const char* bad :
       {"", "G", "-1G", "2X", "2Gi", "2GiBs", "1e30", "nan", "2 G", "99999999T"}) {
    EXPECT_THROW(parse_size("--memory", bad), UsageError) << bad;
  }
}

TEST(Options, NumbersStayInTheirRange) {
  EXPECT_EQ(tools::checked_number("-k", 1, 1, 10), 1U);
  EXPECT_EQ(tools::checked_number("-k", 10, 1, 10), 10U);
  EXPECT_THROW(tools::checked_number("-k", 0, 1, 10), UsageError);
  EXPECT_THROW(tools::checked_number("-k", 11, 1, 10), UsageError);
  EXPECT_THROW(tools::checked_number("-k", 1LL << 32, 1), UsageError);
}

TEST(Options, ListsAreCutAtCommas) {
  EXPECT_THAT(tools::split_list("title,contents"), ::testing::ElementsAre("title", "contents"));
  EXPECT_THAT(tools::split_list("a"), ::testing::ElementsAre("a"));
  EXPECT_THAT(tools::split_list(",a,,b,"), ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(tools::split_list(""), ::testing::ElementsAre());
  EXPECT_THAT(tools::split_list(" a b , ,\tc "), ::testing::ElementsAre("a b", "c"));
}

}  // namespace
}  // namespace warpdex::test
