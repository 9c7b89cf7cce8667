// MAP on the judged collections, through `english` and the CPU engine, against the figures of a
// script that is independent of this project; and what impacts lose of it.
#include <cmath>
#include <iostream>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/real_data.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {
namespace {

struct Reference {
  const char* name;
  double mean_average_precision;  ///< Snowball stems; data/README.md
};

std::ostream& operator<<(std::ostream& out, const Reference& value) { return out << value.name; }

double average_precision(const SearchResult& result, const std::vector<std::string>& names,
                         const std::set<std::string>& relevant) {
  double found = 0;
  double sum = 0;
  for (std::size_t rank = 0; rank < result.hits.size(); ++rank) {
    if (!relevant.contains(names[result.hits[rank].document])) continue;
    found += 1;
    sum += found / static_cast<double>(rank + 1);
  }
  return sum / static_cast<double>(relevant.size());
}

/// nDCG at 10, every relevant document as good as any other.
double discounted_gain(const SearchResult& result, const std::vector<std::string>& names,
                       const std::set<std::string>& relevant) {
  double gain = 0;
  double ideal = 0;
  for (std::size_t rank = 0; rank < 10; ++rank) {
    const double discount = 1 / std::log2(static_cast<double>(rank) + 2);
    if (rank < relevant.size()) ideal += discount;
    if (rank < result.hits.size() && relevant.contains(names[result.hits[rank].document])) {
      gain += discount;
    }
  }
  return gain / ideal;
}

struct Measures {
  double mean_average_precision = 0;
  double ndcg_at_10 = 0;
};

Measures measure(const Index& index, const std::vector<Query>& queries,
                 const std::vector<std::string>& names, const test::Judgements& judgements) {
  SearchSettings settings;
  settings.k = 1000;
  const std::vector<SearchResult> results = test::search_on_cpu(index, queries, settings, 2);
  Measures means;
  const auto count = static_cast<double>(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::set<std::string>& relevant = judgements.at(queries[i].id);
    means.mean_average_precision += average_precision(results[i], names, relevant) / count;
    means.ndcg_at_10 += discounted_gain(results[i], names, relevant) / count;
  }
  return means;
}

class Effectiveness : public testing::TestWithParam<Reference> {};

TEST_P(Effectiveness, IsThatOfTheReference) {
  const std::string folder = std::string("ir/") + GetParam().name + '/';
  WARPDEX_NEEDS_DATA(folder);
  const test::RealCollection read = test::read_collection(folder + "docs.jsonl.xz");
  const test::Judgements judgements = test::read_judgements(folder + "qrels.txt");
  std::vector<Query> queries;
  for (const test::Topic& topic : test::read_topics(folder + "queries.tsv", '\t')) {
    if (judgements.contains(topic.id)) queries.push_back(test::analyse(topic, false));
  }
  const test::TemporaryFolder temporary;
  test::write_index(read.collection, {}, temporary / "index");
  const Index index = Index::open(temporary / "index");
  const Measures exact = measure(index, queries, read.names, judgements);
  RecordProperty("MAP", std::to_string(exact.mean_average_precision));
  std::cout << "MAP of " << GetParam().name << ": " << exact.mean_average_precision << " over "
            << queries.size() << " queries (reference " << GetParam().mean_average_precision
            << ")\n";
  EXPECT_NEAR(exact.mean_average_precision, GetParam().mean_average_precision, 0.01);

  // What 8 bits lose; their ties may also gain a little.
  test::write_quantised_index(read.collection, {}, temporary / "impacts");
  const Index impact_index = Index::open(temporary / "impacts");
  const Measures impacts = measure(impact_index, queries, read.names, judgements);
  std::cout << "  by impacts: MAP " << impacts.mean_average_precision << ", nDCG@10 "
            << impacts.ndcg_at_10 << " (exactly: " << exact.ndcg_at_10 << ")\n";
  EXPECT_GT(impacts.mean_average_precision, exact.mean_average_precision - 0.005);
  EXPECT_GT(impacts.ndcg_at_10, exact.ndcg_at_10 - 0.005);
  EXPECT_NEAR(impacts.mean_average_precision, exact.mean_average_precision, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Collections, Effectiveness,
                         testing::Values(Reference{"cacm", 0.3133}, Reference{"cran", 0.2934},
                                         Reference{"cisi", 0.2089}, Reference{"npl", 0.2877},
                                         Reference{"medquad", 0.2646}),
                         [](const auto& test_case) { return std::string(test_case.param.name); });

}  // namespace
}  // namespace warpdex
