// Mistakes that newcomers make, over all commands: each gets a sentence that says what to do.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Mistakes : public testing::Test {
 protected:
  Mistakes() {
    write_file(file("base.fvecs"), fvecs({{0, 0}, {1, 0}, {2, 0}}));
    write_file(file("queries.fvecs"), fvecs({{1, 0}, {9, 0}}));
  }
  void SetUp() override { build_small_index(index_); }
  std::string file(const std::string& name) const { return folder_ / name; }
  void build_vectors() const {
    const Outcome built = run_warpdex(
        {"vector", "build", "--input", file("base.fvecs"), "--output", file("vectors")});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  Outcome search_vectors(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"vector", "search", file("vectors"), "--queries",
                                       file("queries.fvecs")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  /// A run of those queries, which are found nowhere.
  Outcome search_log(const std::string& queries, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"search", index_, "--queries", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {.input = queries});
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(Mistakes, QueriesThatAreNotForTheIndexAreNoted) {
  const Outcome none = search_log("1\tzebra\n2\tlion tiger\n");
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err,
            "warpdex: note: no term of any of the 2 queries is in the index; were they analysed as "
            "its documents were (analyzer standard)?\n");
  EXPECT_THAT(search_log("1\tzebra\n").err, HasSubstr("no term of the query is in the index"));
  write_file(file("log.tsv"), "1\tzebra\n2\t\n");
  EXPECT_THAT(
      run_warpdex({"search", index_, "--queries", file("log.tsv"), "--output-format", "json"}).err,
      AllOf(HasSubstr("note: query 2 has no terms (stop words, "),
            HasSubstr("no term of the one query that has some is in the index")));
  EXPECT_EQ(search_log("1\tzebra\n2\tlion pear\n").err, "");
  EXPECT_EQ(search_log("").err, "");
}

// "the" is a term of this index's analyzer; a query of signs alone is one without terms.
TEST_F(Mistakes, QueriesThatFindNothingByThemselvesAreNoted) {
  const std::string log = file("termless.tsv");
  write_file(log, "1\t\n2\t- !\n3\tpear\n4\t-pear\n5\t?\n");
  const std::string termless =
      "warpdex: note: 3 queries have no terms (stop words, signs and words of weight 0 do not "
      "count); the first is query 1\n";
  const std::string excluding = "warpdex: note: query 4 only excludes; add a word to look for\n";
  const std::vector<std::string> options{"--queries", log, "--query-syntax", "signed"};
  const auto told = [&](const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{command, index_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments).err;
  };
  EXPECT_EQ(told("search", {}), termless + excluding);
  EXPECT_EQ(told("search", {"--output-format", "json", "--mode", "and"}), termless + excluding);
  EXPECT_EQ(told("bench", {"--json", "-", "--repetitions", "1"}), termless + excluding);
  EXPECT_THAT(told("load", {"--rate", "100", "--seconds", "0.1", "--json", "-"}),
              HasSubstr(termless + excluding));
  // For words, in the same terms; a wrong language is no hint then.
  const Outcome words = run_warpdex({"search", index_, "!", "--output-format", "json"});
  EXPECT_EQ(words.err,
            "warpdex: note: the query has no terms (stop words, signs and words of weight 0 do "
            "not count)\n");
  EXPECT_EQ(run_warpdex({"search", index_, "--output-format", "json", "--", "-pear"}).err,
            "warpdex: note: the query only excludes; add a word to look for\n");
  EXPECT_EQ(run_warpdex({"search", index_, "--queries", "-"}, {.input = "1\t!\n"}).err,
            "warpdex: note: query 1 has no terms (stop words, signs and words of weight 0 do not "
            "count)\n");
}

TEST_F(Mistakes, AnIndexWithoutDocumentsIsNotInPieces) {
  ASSERT_EQ(run_warpdex({"delete", index_, "--ids", "-"}, {.input = "d1\nd2\nd3\nd4\nd5\n"}).status,
            0);
  ASSERT_EQ(run_warpdex({"merge", index_, "--all"}).status, 0);
  const std::string told = "has no documents any more; add some first";
  expect_complaint(run_warpdex({"export", index_, "--format", "ciff", "--output", file("ciff")}), 2,
                   {told});
  expect_complaint(run_warpdex({"reorder", index_, "--output", file("new")}), 2, {told});
  expect_complaint(run_warpdex({"convert", index_, "--impacts", "--output", file("new")}), 2,
                   {told});
  EXPECT_THAT(search_log("1\tpear\n").err, HasSubstr("the index has no documents"));
}

TEST_F(Mistakes, AnOptionIsNoFolder) {
  expect_complaint(run_warpdex({"index", "--input", "-", "--format", "tsv", "--output", "--quiet"},
                               {.input = kTsvDocuments, .current_folder = folder_.path()}),
                   2, {"--output has no value", "'--quiet'", "--output=--quiet"});
  expect_complaint(run_warpdex({"search", index_, "pear", "--tag", "--count"}), 2,
                   {"--tag has no value"});
  const std::vector<std::string> meant{"index", "--input",        "-",      "--format",
                                       "tsv",   "--output=--new", "--quiet"};
  EXPECT_EQ(run_warpdex(meant, {.input = kTsvDocuments, .current_folder = folder_.path()}).status,
            0);
  EXPECT_TRUE(fs::exists(file("--new")));
  EXPECT_EQ(run_warpdex({"search", index_, "--", "--pear"}).status, 0) << "no value of an option";
}

TEST_F(Mistakes, InputsThatAreNone) {
  for (const std::string command : {"index", "add"}) {
    std::vector<std::string> arguments{command, "--input", "", "--format", "tsv"};
    if (command == "add") {
      arguments.insert(arguments.begin() + 1, index_);
    } else {
      arguments.insert(arguments.end(), {"--output", file("new")});
    }
    expect_complaint(run_warpdex(arguments), 2, {"--input is empty; name a file or a folder"});
  }
  expect_complaint(run_warpdex({"delete", index_, "--ids", folder_.path()}), 1, {"is a folder"});
  write_file(file("empty"), "");
  expect_complaint(run_warpdex({"import", "--format", "ciff", "--input", file("empty"), "--output",
                                file("new")}),
                   1, {"the file is empty; name"});
}

TEST_F(Mistakes, OptionsWithoutEffectAreRefused) {
  for (const std::vector<std::string>& format :
       {std::vector<std::string>{}, {"--output-format", "json"}}) {
    std::vector<std::string> arguments{"search", index_, "pear", "--tag", "mine"};
    arguments.insert(arguments.end(), format.begin(), format.end());
    expect_complaint(run_warpdex(arguments), 2, {"--tag is for --output-format trec"});
  }
  EXPECT_THAT(
      run_warpdex({"search", index_, "sky", "--tag", "mine", "--output-format", "trec"}).out,
      HasSubstr(" mine\n"));
  EXPECT_THAT(search_log("1\tsky\n", {"--tag", "mine"}).out, HasSubstr(" mine\n"));
  for (const auto& [option, value] :
       {std::pair("--tag", "mine"), std::pair("--output-format", "json")}) {
    expect_complaint(run_warpdex({"bench", index_, "--queries", file("log.tsv"), option, value}), 2,
                     {option, "is for --output FILE"});
  }
}

TEST_F(Mistakes, VerifyNotesWhatStandsInTheWayOfChanges) {
  const auto verify = [&](const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"verify", index_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_warpdex(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("is whole"));
    return outcome.err;
  };
  EXPECT_EQ(verify(), "");
  write_file(index_ + "/foo", "");
  EXPECT_EQ(verify(), "warpdex: note: '" + index_ +
                          "' holds more than an index: 'foo'; move that elsewhere before you "
                          "change the index\n");
  fs::remove(index_ + "/foo");
  fs::create_directory(file(".index.building-aB3dE6"));
  EXPECT_THAT(verify(), HasSubstr("1 folder of killed builds lies beside"));
  fs::create_directory(file(".index.building-bB3dE6"));
  write_file(file(".index.building-lock"), "process 1");
  EXPECT_THAT(verify(), HasSubstr("2 folders of killed builds lie beside"));
  EXPECT_EQ(verify({"--repair"}), "");
  EXPECT_EQ(verify(), "");
}

TEST_F(Mistakes, AnswersOfVectorsNeedAFormatForThem) {
  build_vectors();
  for (const std::string name : {"x.foo", "x.fvecs", "x.bvecs", "x"}) {
    expect_complaint(search_vectors({"--output", file(name)}), 2,
                     {name, ".ivecs, .ibin, .npy, .hdf5 or .h5, or in .tsv for lines"});
  }
  expect_complaint(search_vectors({"--output", "-", "--distances", file("x.ivecs")}), 2,
                   {"int32 only; name a file that ends in .fvecs, .fbin, .npy"});
  const Outcome words =
      run_warpdex({"vector", "search", file("vectors"), "--queries", file("words.txt")});
  expect_complaint(words, 2, {".fvecs, .bvecs, .fbin, .u8bin, .i8bin, .npy"});
  EXPECT_THAT(words.err, Not(HasSubstr(".ivecs")));
}

TEST_F(Mistakes, AFilterOfIdsThatWereRemoved) {
  build_vectors();
  write_file(file("gone.txt"), "1\n");
  ASSERT_EQ(run_warpdex({"vector", "remove", file("vectors"), "--ids", file("gone.txt")}).status,
            0);
  write_file(file("filter.txt"), "2\n0\n1\n");
  const Outcome found = search_vectors({"--filter", file("filter.txt")});
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.err, HasSubstr("note: 1 id of '" + file("filter.txt") + "' is of no vector"));
  EXPECT_THAT(found.err, HasSubstr("the first is '1', line 3"));
}

TEST_F(Mistakes, AnIndexWithoutVectorsFindsNone) {
  build_vectors();
  write_file(file("gone.txt"), "0\n1\n2\n");
  ASSERT_EQ(run_warpdex({"vector", "remove", file("vectors"), "--ids", file("gone.txt")}).status,
            0);
  for (const bool is_merged : {false, true}) {
    if (is_merged) {
      ASSERT_EQ(run_warpdex({"vector", "merge", file("vectors")}).status, 0);
    }
    const Outcome lines = search_vectors({});
    EXPECT_EQ(lines.status, 0);
    EXPECT_EQ(lines.out, "");
    EXPECT_THAT(lines.err, HasSubstr("note: the index '" + file("vectors") + "' has no vectors"));
    EXPECT_EQ(search_vectors({"--json", "-"}).out,
              "{\"query\":0,\"distance_is\":\"exact\",\"neighbors\":[]}\n"
              "{\"query\":1,\"distance_is\":\"exact\",\"neighbors\":[]}\n");
    ASSERT_EQ(search_vectors({"-k", "2", "--output", file("rows.ivecs")}).status, 0);
    EXPECT_EQ(read_file(file("rows.ivecs")).size(), 2U * 3 * 4);
    EXPECT_EQ(search_vectors({"--radius", "5"}).out, "");
  }
}

TEST_F(Mistakes, SmallIndexesAreMeasuredWithTheKThatTheyHave) {
  build_vectors();
  const auto bench = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "vector",        "bench", file("vectors"), "--queries", file("queries.fvecs"),
        "--batch-sizes", "1",     "--repetitions", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  const Outcome measured = bench({"--json", "-"});
  ASSERT_EQ(measured.status, 0) << measured.err;
  EXPECT_EQ(parse_json(measured.out)["searches"].Size(), 2U);  // k of 1 and of 3
  EXPECT_THAT(bench({"-k", "10"}).err, HasSubstr("has 3 vectors, fewer than -k 10"));

  write_file(file("words.txt"), "cat\ndog\nowl\n");
  ASSERT_EQ(run_warpdex({"metric", "build", "--input", file("words.txt"), "--distance",
                         "levenshtein", "--output", file("words")})
                .status,
            0);
  const Outcome words = run_warpdex(
      {"metric", "bench", file("words"), "--queries", file("words.txt"), "--repetitions", "1"});
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_THAT(words.out, HasSubstr("k 3"));
}

}  // namespace
}  // namespace warpdex::test
