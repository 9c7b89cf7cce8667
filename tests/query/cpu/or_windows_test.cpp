// OR and AND over lists that are sparse or dense in a collection of many windows, judged by the
// oracle: postings at
// the ends of windows, windows without any, lists that are shorter than a block, and required lists
// beside one that has ended before its bound is asked for.
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

constexpr std::uint32_t kDocuments = 150'000;

class SparseLists : public testing::Test {
 protected:
  void SetUp() override {
    for (std::uint32_t document = 0; document < kDocuments; ++document) {
      collection_.add_document_of_length({}, 1 + static_cast<std::uint32_t>(random_() % 900));
    }
    // Windows are 4,096 documents wide at first, then twice as wide each, up to 32,768.
    add("borders", {0, 4'095, 4'096, 12'287, 12'288, 28'671, 28'672, 61'439, 61'440, 94'207, 94'208,
                    126'975, 126'976, kDocuments - 1});
    add("one", {77'777});
    add("first", random_documents(20, 1'000));
    add("early", random_documents(60, 3'000));
    add("short", random_documents(120, kDocuments));
    add("block", random_documents(128, kDocuments));
    add("some", random_documents(1'500, kDocuments));
    add("late", random_documents(700, 9'000, kDocuments - 9'000));
    add("many", random_documents(9'000, kDocuments));
    add("frequent", random_documents(60'000, kDocuments));
    add("most", random_documents(110'000, kDocuments));
    add("nearly", random_documents(147'000, kDocuments));  // most gaps are of 0 or 1
    std::vector<std::uint32_t> all(kDocuments);
    std::iota(all.begin(), all.end(), 0U);
    add("all", all);
    // Counting has windows of 65,536 documents, which a bit set here goes across.
    add("run", random_documents(500, 700, 65'200));
    add("counted", {0, 63, 64, 65'535, 65'536, 131'071, 131'072, kDocuments - 1});
    test::write_index(collection_, {}, folder_ / "index");
  }

  std::vector<std::uint32_t> random_documents(std::size_t count, std::uint32_t span,
                                              std::uint32_t first = 0) {
    std::set<std::uint32_t> documents;
    while (documents.size() < count) {
      documents.insert(first + static_cast<std::uint32_t>(random_() % span));
    }
    return {documents.begin(), documents.end()};
  }

  void add(const std::string& term, const std::vector<std::uint32_t>& documents) {
    std::vector<reference::Posting> postings;
    for (const std::uint32_t document : documents) {
      postings.push_back({document, 1 + static_cast<std::uint32_t>(random_() % 4)});
    }
    collection_.add_list(term, postings);
  }

  void judge(const std::string& text, const SearchSettings& settings) {
    const Index index = Index::open(folder_ / "index");
    CpuSearcher searcher(index);
    const Query query = reference::query_from(text);
    const test::Truth truth = test::find_truth(collection_, query, settings);
    ASSERT_EQ(test::judge(truth, searcher.search(query, settings), settings), "")
        << text << " k=" << settings.k;
  }

  std::mt19937_64 random_ = test::generator(71);
  test::TemporaryFolder folder_;
  reference::Collection collection_;
};

TEST_F(SparseLists, AreAnsweredRightByOr) {
  for (const char* text :
       {"borders", "one", "borders one", "short block", "early late", "borders early late some",
        "one frequent", "borders short frequent", "some many", "early many frequent",
        "one borders early short block some late many frequent", "short some -frequent"}) {
    for (const std::uint32_t k : {1U, 10U, 100U, 1000U}) {
      SearchSettings settings;
      settings.k = k;
      ASSERT_NO_FATAL_FAILURE(judge(text, settings));
      settings.scorer.kind = ScorerKind::kQueryLikelihood;
      ASSERT_NO_FATAL_FAILURE(judge(text, settings));
    }
  }
}

TEST_F(SparseLists, AreCountedRight) {
  SearchSettings settings;
  settings.count = true;
  for (const char* text :
       {"most run", "run counted", "frequent most", "run most -counted", "one most", "first early",
        "most frequent many some late short block counted borders one run", "many -frequent run",
        "frequent run -most", "counted short", "some many", "nearly all", "run nearly",
        "most nearly", "counted all", "nearly most -all", "some nearly frequent"}) {
    ASSERT_NO_FATAL_FAILURE(judge(text, settings));
  }
  const char* const terms[] = {"borders", "one",  "first",   "early",  "short",
                               "block",   "some", "late",    "many",   "frequent",
                               "most",    "run",  "counted", "nearly", "all"};
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (const char* term : terms) {
      if (random_() % 3 == 0) text += std::string(random_() % 8 == 0 ? " -" : " ") + term;
    }
    ASSERT_NO_FATAL_FAILURE(judge(text, settings));
  }
}

TEST_F(SparseLists, AreAnsweredRightByAnd) {
  const char* const terms[] = {"block",    "some", "late",   "many",
                               "frequent", "most", "nearly", "all"};
  for (int round = 0; round < 100; ++round) {
    std::string text;
    for (const char* term : terms) {
      if (random_() % 2 == 0) continue;
      const std::uint64_t role = random_() % 12;
      text += (role == 0 ? " -" : role < 4 ? " " : " +") + std::string(term);
    }
    SearchSettings settings;
    settings.k = 1 + static_cast<std::uint32_t>(random_() % 30);
    settings.mode = random_() % 2 == 0 ? QueryMode::kAnd : QueryMode::kOr;
    settings.count = random_() % 4 == 0;
    if (random_() % 3 == 0) settings.scorer.kind = ScorerKind::kQueryLikelihood;
    ASSERT_NO_FATAL_FAILURE(judge(text, settings));
  }
}

TEST_F(SparseLists, AreBoundedByRequiredListsThatOutliveThem) {
  for (const char* text : {"+many first", "+some +many early borders", "+frequent first late"}) {
    for (const std::uint32_t k : {1U, 10U}) {
      SearchSettings settings;
      settings.k = k;
      ASSERT_NO_FATAL_FAILURE(judge(text, settings));
    }
  }
}

}  // namespace
}  // namespace warpdex
