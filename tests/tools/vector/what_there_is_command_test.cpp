// More is asked for than there is: each command answers with what there is, and a note says so.
#include <algorithm>
#include <limits>

#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kNothingThere = std::numeric_limits<float>::infinity();

/// Six points on a line, at 0, 1, 4, 9, 16 and 25, of which 0, 9 and 16 are removed.
class WhatThereIs : public testing::Test {
 protected:
  WhatThereIs() {
    write_file(file("base.fvecs"), fvecs({{0}, {1}, {4}, {9}, {16}, {25}}));
    write_file(file("queries.fvecs"), fvecs({{2}, {26}}));
    write_file(file("gone.txt"), "0\n3\n4\n");
    build({});
  }
  void build(const std::vector<std::string>& kind) {
    std::vector<std::string> arguments{"build",    "--input",     file("base.fvecs"),
                                       "--output", file("index"), "--quiet"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    EXPECT_EQ(run(arguments).status, 0);
    EXPECT_EQ(run({"remove", file("index"), "--ids", file("gone.txt")}).status, 0);
  }
  std::string file(const std::string& name) const { return folder_ / name; }
  static Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "vector");
    return run_warpdex(arguments);
  }
  Outcome search(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"search", file("index"), "--queries", file("queries.fvecs")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  TemporaryFolder folder_;
};

const std::string kAll = "0\t1\t1\n0\t2\t4\n0\t5\t529\n1\t5\t1\n1\t2\t484\n1\t1\t625\n";

TEST_F(WhatThereIs, OfVectorsIsFoundByEachKind) {
  for (const std::vector<std::string>& kind :
       std::vector<std::vector<std::string>>{{},
                                             {"--index", "ivf-flat", "--lists", "2"},
                                             {"--index", "ivf-pq", "--lists", "2", "--bytes", "1"},
                                             {"--index", "xfbq", "--bits", "8"}}) {
    build(kind);
    std::vector<std::string> all{"-k", "10"};
    if (kind.size() > 4) all.insert(all.end(), {"--probes", "9"});
    if (kind.size() > 2 && kind[1] != "ivf-flat") all.insert(all.end(), {"--refine", "3000000000"});
    const Outcome found = search(all);
    EXPECT_EQ(found.status, 0);
    EXPECT_EQ(found.out, kAll);
    EXPECT_THAT(found.err, HasSubstr("note: the index '" + file("index") +
                                     "' has 3 vectors, fewer than -k 10; a query finds these"));
    EXPECT_EQ(found.err.find("2 lists, fewer than --probes 9; all are probed") != std::string::npos,
              kind.size() > 4);
    EXPECT_EQ(found.err.find("3 vectors, fewer than --refine 3000000000") != std::string::npos,
              kind.size() > 2 && kind[1] != "ivf-flat");
  }
  build({});
  EXPECT_EQ(search({"-k", "99999999999"}).out, kAll);
  EXPECT_EQ(search({"-k", "3"}).err, "");
  EXPECT_EQ(search({}).err, "");  // the default is what there is
  expect_complaint(search({"-k", "0"}), 2, {"-k", "1 or more", "not 0"});
}

TEST_F(WhatThereIs, FillsFilesUp) {
  const Outcome found =
      search({"-k", "5", "--output", file("found.ivecs"), "--distances", file("found.fvecs")});
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(read_file(file("found.ivecs")),
            vecs<std::int32_t>({{1, 2, 5, -1, -1}, {5, 2, 1, -1, -1}}));
  EXPECT_EQ(read_file(file("found.fvecs")), fvecs({{1, 4, 529, kNothingThere, kNothingThere},
                                                   {1, 484, 625, kNothingThere, kNothingThere}}));
  build({"--metric", "ip"});
  ASSERT_EQ(search({"-k", "4", "--output", file("found.ivecs"), "--distances", file("found.fvecs")})
                .status,
            0);
  EXPECT_EQ(read_file(file("found.fvecs")),
            fvecs({{50, 8, 2, -kNothingThere}, {650, 104, 26, -kNothingThere}}));
  const std::vector<std::string> lines{"{\"query\":0,\"distance_is\":\"exact\",\"neighbors\":[",
                                       "{\"query\":1,\"distance_is\":\"exact\",\"neighbors\":["};
  const std::string json = search({"-k", "9", "--json", "-"}).out;
  for (const std::string& line : lines) EXPECT_THAT(json, HasSubstr(line));
  EXPECT_THAT(json, Not(HasSubstr("-1")));
}

TEST_F(WhatThereIs, OfAFilterIsNamed) {
  write_file(file("filter.txt"), "5\n4\n1\n77\nabc\n");
  const Outcome found = search({"-k", "4", "--filter", file("filter.txt")});
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(found.out, "0\t1\t1\n0\t5\t529\n1\t5\t1\n1\t1\t625\n");
  EXPECT_THAT(found.err, HasSubstr("note: 3 ids of '" + file("filter.txt") +
                                   "' are of no vector of the index (any more); the first is '4', "
                                   "line 2\n"));
  EXPECT_THAT(found.err, HasSubstr("the filter allows 2 vectors, fewer than -k 4"));
  write_file(file("filter.txt"), "0\n");
  const Outcome none = search({"--filter", file("filter.txt")});
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("note: 1 id of "));
  EXPECT_EQ(search({"--radius", "1000", "--filter", file("filter.txt")}).out, "");
}

TEST_F(WhatThereIs, OfNeighborsStandsInAGraph) {
  const std::string output = file("graph.ivecs");
  const Outcome made = run({"graph", file("index"), "-k", "4", "--output", output});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("a vector of the index '" + file("index") +
                                  "' has 2 others, fewer than -k 4; its list has these"));
  const std::vector<std::int32_t> none{-1, -1, -1, -1};
  EXPECT_EQ(read_file(output),
            vecs<std::int32_t>({none, {2, 5, -1, -1}, {1, 5, -1, -1}, none, none, {2, 1, -1, -1}}));
  ASSERT_EQ(run({"graph", file("index"), "-k", "4", "--symmetric", "--output", output}).status, 0);
  EXPECT_EQ(read_file(output),
            vecs<std::int32_t>({{-1, -1}, {2, 5}, {1, 5}, {-1, -1}, {-1, -1}, {2, 1}}));
  // One vector has no others.
  write_file(file("gone.txt"), "0\n1\n3\n4\n5\n");
  build({});
  for (const char* form : {"--symmetric", "--quiet"}) {
    const Outcome alone = run({"graph", file("index"), "-k", "2", form, "--output", output});
    ASSERT_EQ(alone.status, 0) << alone.err;
    EXPECT_EQ(read_file(output),
              vecs<std::int32_t>({{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}));
  }
}

TEST_F(WhatThereIs, IsMeasured) {
  build({"--index", "ivf-pq", "--lists", "2", "--bytes", "1"});
  const Outcome measured = run({"bench", file("index"), "--queries", file("queries.fvecs"), "-k",
                                "1,10,20", "--probes", "1,5,7", "--refine", "0,1000",
                                "--batch-sizes", "1", "--repetitions", "1", "--json", "-"});
  ASSERT_EQ(measured.status, 0) << measured.err;
  const rapidjson::Document json = parse_json(measured.out);
  std::vector<std::vector<int>> searches;
  for (const auto& one : json["searches"].GetArray()) {
    searches.push_back({one["refine"].GetInt(), one["probes"].GetInt(), one["k"].GetInt()});
  }
  EXPECT_EQ(
      searches,
      (std::vector<std::vector<int>>{
          {0, 1, 1}, {0, 1, 3}, {0, 2, 1}, {0, 2, 3}, {3, 1, 1}, {3, 1, 3}, {3, 2, 1}, {3, 2, 3}}));
  for (const char* note : {"fewer than -k 10;", "fewer than -k 20;", "fewer than --probes 7;",
                           "fewer than --refine 1000;"}) {
    EXPECT_THAT(measured.err, HasSubstr(note));
  }
}

TEST_F(WhatThereIs, OfObjectsIsFoundAndMeasured) {
  write_file(file("words.txt"), "cat\ncow\n");
  write_file(file("asked.txt"), "cut\n");
  ASSERT_EQ(run_warpdex({"metric", "build", "--input", file("words.txt"), "--distance",
                         "levenshtein", "--output", file("words")})
                .status,
            0);
  const Outcome found = run_warpdex(
      {"metric", "search", file("words"), "--queries", file("asked.txt"), "-k", "9", "--texts"});
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(found.out, "cut\tcat\t1\ncut\tcow\t2\n");
  EXPECT_THAT(found.err, HasSubstr("2 objects, fewer than -k 9"));
  const Outcome measured =
      run_warpdex({"metric", "bench", file("words"), "--queries", file("asked.txt"), "-k", "1,9,12",
                   "--share", "1", "--repetitions", "1", "--json", "-"});
  ASSERT_EQ(measured.status, 0) << measured.err;
  EXPECT_EQ(parse_json(measured.out)["searches"].Size(), 4U);  // k of 1 and 2, exact and the share
}

TEST_F(WhatThereIs, OfDocumentsIsFound) {
  write_file(file("vectors.fvecs"), fvecs({{1}, {2}, {3}, {4}, {5}}));
  write_file(file("query.fvecs"), fvecs({{2.25F}}));
  build_small_index(folder_ / "texts",
                    {"--vectors", file("vectors.fvecs"), "--vector-metric", "l2"});
  const std::vector<std::string> by_vectors{"search", file("texts"), "--vector-queries",
                                            file("query.fvecs"), "-k"};
  const auto search_texts = [&](const std::string& k, const std::vector<std::string>& words) {
    std::vector<std::string> arguments = by_vectors;
    arguments.push_back(k);
    arguments.insert(arguments.end(), words.begin(), words.end());
    return run_warpdex(arguments);
  };
  const Outcome found = search_texts("50", {});
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(std::count(found.out.begin(), found.out.end(), '\n'), 5);
  EXPECT_THAT(found.err, HasSubstr("has 5 documents, fewer than -k 50"));
  EXPECT_THAT(search_texts("50", {"pear"}).err, HasSubstr("fewer than -k 50"));
  EXPECT_EQ(search_texts("5", {}).err, "");
  // Words alone find as many as match, as always.
  const Outcome words = run_warpdex({"search", file("texts"), "pear", "-k", "50"});
  EXPECT_EQ(words.err, "");
  EXPECT_THAT(words.out, HasSubstr("d5"));
}

}  // namespace
}  // namespace warpdex::test
