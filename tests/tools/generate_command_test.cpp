// warpdex-lab generate: what it writes, what it reports, what it refuses.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

TEST(GenerateCommand, WritesAnIndexAndQueriesForIt) {
  const TemporaryFolder folder;
  const Outcome outcome = run_warpdex({"generate", "--output", folder / "made", "--documents",
                                       "5000", "--queries", "40", "--codec", "rice"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("mean frequency"));
  EXPECT_THAT(outcome.out, HasSubstr("Wikipedia"));
  EXPECT_EQ(names_in(folder / "made"),
            (std::vector<std::string>{"generated.json", "index", "queries.tsv"}));
  EXPECT_EQ(run_warpdex({"verify", folder / "made/index"}).status, 0);
  const std::string queries = read_file(folder / "made/queries.tsv");
  EXPECT_EQ(std::count(queries.begin(), queries.end(), '\n'), 40);
  const Outcome search = run_warpdex(
      {"search", folder / "made/index", "--queries", folder / "made/queries.tsv", "-k", "3"});
  EXPECT_EQ(search.status, 0) << search.err;
  EXPECT_THAT(search.out, HasSubstr(" GX000-0"));
}

TEST(GenerateCommand, ComparesWithAnIndexOfOnesOwn) {
  const TemporaryFolder folder;
  build_small_index(folder / "own");
  write_file(folder / "own.tsv", "1\tapple\n2\tgreen tree\n3\tpear unheard\n");
  const Outcome outcome = run_warpdex({"generate", "--output", folder / "made", "--documents",
                                       "3000", "--queries", "30", "--compare", folder / "own",
                                       "--compare-queries", folder / "own.tsv", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  EXPECT_EQ(json["generated"]["documents"].GetDouble(), 3000);
  const auto& own = json["compared"];
  EXPECT_EQ(own["documents"].GetDouble(), 5);
  EXPECT_DOUBLE_EQ(own["mean_length"].GetDouble(), 3.2);
  EXPECT_EQ(own["term_counts"]["2"].GetDouble(), 2.0 / 3);
  EXPECT_EQ(own["unknown_terms"].GetDouble(), 0.2);
  // "apple" is in 2 documents, "green tree" in 2 together, "pear unheard" in none.
  EXPECT_DOUBLE_EQ(own["nonempty_ands"].GetDouble(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(own["mean_matches"].GetDouble(), (2 + 2) / 5.0 / 3);
  // 3 of 5 documents have "green", 2 "tree": by chance 1.2 have both.
  EXPECT_DOUBLE_EQ(own["co_occurrence_of_2"].GetDouble(), 2 / 1.2);
  // apple: twice and once; green: 2 times 1 and d3; tree 1; pear 1.
  EXPECT_DOUBLE_EQ(own["lists"]["all"]["postings"].GetDouble(), 2 + 3 + 2 + 2);
  EXPECT_DOUBLE_EQ(own["lists"]["all"]["mean_frequency"].GetDouble(), 10.0 / 9);
}

Outcome generate_small(const std::filesystem::path& output, const std::string& seed = "1") {
  return run_warpdex({"generate", "--output", output, "--documents", "1000", "--queries", "5",
                      "--seed", seed, "--quiet"});
}

TEST(GenerateCommand, ReplacesWhatItMade) {
  const TemporaryFolder folder;
  const std::filesystem::path queries = folder / "queries.tsv";
  std::filesystem::create_directories(folder / "index");  // empty: nobody's
  ASSERT_EQ(generate_small(folder.path()).status, 0);
  const std::string first = read_file(queries);
  const std::string first_mark = read_file(folder / "generated.json");
  ASSERT_EQ(generate_small(folder.path(), "2").status, 0);
  const std::string second = read_file(queries);
  EXPECT_NE(second, first);
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{"generated.json", "index", "queries.tsv"}));

  // Where a run dies: before the queries (the mark is the earlier one's, or names both) or after.
  const auto checksum_in = [](const std::string& mark) {
    return std::string(parse_json(mark)["queries_checksum"].GetString());
  };
  const std::string both = "{\"made_by\":\"warpdex-lab generate\",\"queries_checksum\":\"" +
                           checksum_in(read_file(folder / "generated.json")) +
                           "\",\"earlier_queries_checksum\":\"" + checksum_in(first_mark) + "\"}";
  for (const std::string& left : {first, second}) {
    write_file(queries, left);
    write_file(folder / "generated.json", both);
    const Outcome again = generate_small(folder.path(), "3");
    ASSERT_EQ(again.status, 0) << again.err;
  }
  std::filesystem::remove(queries);
  std::filesystem::remove(folder / "generated.json");
  EXPECT_EQ(generate_small(folder.path()).status, 0);
  EXPECT_EQ(read_file(queries), first);
  EXPECT_EQ(read_file(folder / "generated.json"), first_mark);
}

TEST(GenerateCommand, KeepsWhatItDidNotMake) {
  const TemporaryFolder folder;
  // Queries of the user's own; queries that were generated and then changed; a mark of others.
  write_file(folder / "queries.tsv", "1\tmine\n");
  expect_complaint(generate_small(folder.path()), 2,
                   {"queries.tsv' was not made by generate", "--output"});
  EXPECT_EQ(read_file(folder / "queries.tsv"), "1\tmine\n");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"queries.tsv"});

  std::filesystem::remove(folder / "queries.tsv");
  ASSERT_EQ(generate_small(folder.path()).status, 0);
  const std::string changed = read_file(folder / "queries.tsv") + "6\tmine\n";
  write_file(folder / "queries.tsv", changed);
  expect_complaint(generate_small(folder.path()), 2, {"queries.tsv' was not made by generate"});
  EXPECT_EQ(read_file(folder / "queries.tsv"), changed);

  for (const std::string mark : {"{\"made_by\": \"me\"}", "[]", "notes"}) {
    write_file(folder / "generated.json", mark);
    expect_complaint(generate_small(folder.path()), 2,
                     {"generated.json' was not made by generate"});
    EXPECT_EQ(read_file(folder / "generated.json"), mark);
  }
}

TEST(GenerateCommand, KeepsAnIndexThatItDidNotMake) {
  const TemporaryFolder folder;
  ASSERT_EQ(generate_small(folder / "made").status, 0);
  std::filesystem::remove_all(folder / "made/index");
  build_small_index(folder / "made/index");
  expect_complaint(generate_small(folder / "made"), 2, {"index' was not made by generate"});
  EXPECT_THAT(run_warpdex({"search", folder / "made/index", "sky"}).out, HasSubstr("d4"));
  // Nor a folder that is no index, nor a file.
  std::filesystem::remove_all(folder / "made/index");
  std::filesystem::create_directories(folder / "made/index");
  write_file(folder / "made/index/notes", "mine");
  expect_complaint(generate_small(folder / "made"), 2, {"index' was not made by generate"});
  EXPECT_EQ(read_file(folder / "made/index/notes"), "mine");
  std::filesystem::remove_all(folder / "made/index");
  write_file(folder / "made/index", "mine");
  expect_complaint(generate_small(folder / "made"), 2, {"index' was not made by generate"});
  EXPECT_EQ(read_file(folder / "made/index"), "mine");
}

TEST(GenerateCommand, SaysWhatItCannotTake) {
  const TemporaryFolder folder;
  const std::string out = folder / "made";
  expect_complaint(run_warpdex({"generate", "--output", out, "--preset", "web"}), 2,
                   {"preset 'web'", "take gov2"});
  expect_complaint(run_warpdex({"generate", "--output", out, "--documents", "999"}), 2,
                   {"--documents"});
  expect_complaint(run_warpdex({"generate", "--output", out, "--seed", "-1"}), 2, {"--seed"});
  expect_complaint(run_warpdex({"generate", "--output", out, "--compare", "x"}), 2,
                   {"--compare-queries"});
  expect_complaint(run_warpdex({"generate", "--output", out, "--pfor-levels", "2"}), 2,
                   {"--pfor-levels is for --codec pfor"});
  expect_complaint(run_warpdex({"generate"}), 2, {"--output"});
  const std::vector<std::string> few{"generate", "--output", out, "--documents", "1000"};
  const auto refuses = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> arguments = few;
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_complaint(run_warpdex(arguments), 2, {part});
  };
  refuses({"--impacts", "--json", "-"}, "--json takes the figures of frequencies");
  refuses({"--impacts", "--compare", "x", "--compare-queries", "y"}, "--compare takes the figures");
  refuses({"--quiet", "--compare", "x", "--compare-queries", "y"}, "--quiet leaves out");
  refuses({"--compare-format", "lines"}, "--compare-format is for --compare");
  EXPECT_FALSE(std::filesystem::exists(out));
  write_file(folder / "file", "kept");
  EXPECT_NE(run_warpdex({"generate", "--output", folder / "file", "--documents", "1000"}).status,
            0);
  EXPECT_EQ(read_file(folder / "file"), "kept");
}

TEST(GenerateCommand, MakesOtherPresets) {
  const TemporaryFolder folder;
  const std::string made = folder / "made";
  const auto generate = [&](const std::string& preset) {
    return run_warpdex({"generate", "--preset", preset, "--output", made, "--documents", "1000",
                        "--queries", "5", "--quiet"});
  };
  ASSERT_EQ(generate("msmarco").status, 0);
  const Outcome passages =
      run_warpdex({"search", made + "/index", "--queries", made + "/queries.tsv", "-k", "1"});
  EXPECT_EQ(passages.status, 0) << passages.err;
  ASSERT_EQ(generate("splade").status, 0);
  EXPECT_EQ(names_in(made), (std::vector<std::string>{"generated.json", "index", "queries.jsonl"}));
  const Outcome vectors =
      run_warpdex({"search", made + "/index", "--queries", made + "/queries.jsonl",
                   "--query-format", "sparse", "-k", "1"});
  EXPECT_EQ(vectors.status, 0) << vectors.err;
  EXPECT_EQ(std::count(vectors.out.begin(), vectors.out.end(), '\n'), 5);
  expect_complaint(generate("treccar"), 2, {"take gov2, msmarco or splade"});
  expect_complaint(run_warpdex({"generate", "--preset", "splade", "--impacts", "--output", made}),
                   2, {"leave --impacts out"});
  // What is not generate's stays: queries of the other name that were changed.
  write_file(made + "/queries.tsv", "mine\n");
  ASSERT_EQ(generate("splade").status, 0);
  EXPECT_EQ(read_file(made + "/queries.tsv"), "mine\n");
}

}  // namespace
}  // namespace warpdex::test
