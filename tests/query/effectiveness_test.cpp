// MAP on the judged collections, through `english` and the CPU engine, against the figures of a
// script that is independent of this project.
#include <iostream>

#include "tests/query/engine_support.hpp"
#include "tests/query/real_data.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/cpu/batch.hpp"

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
  SearchSettings settings;
  settings.k = 1000;
  const std::vector<SearchResult> results = search_batch(index, queries, settings, 2);
  double sum = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    sum += average_precision(results[i], read.names, judgements.at(queries[i].id));
  }
  const double map = sum / static_cast<double>(queries.size());
  RecordProperty("MAP", std::to_string(map));
  std::cout << "MAP of " << GetParam().name << ": " << map << " over " << queries.size()
            << " queries (reference " << GetParam().mean_average_precision << ")\n";
  EXPECT_NEAR(map, GetParam().mean_average_precision, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Collections, Effectiveness,
                         testing::Values(Reference{"cacm", 0.3133}, Reference{"cran", 0.2934},
                                         Reference{"cisi", 0.2089}, Reference{"npl", 0.2877},
                                         Reference{"medquad", 0.2646}),
                         [](const auto& test_case) { return std::string(test_case.param.name); });

}  // namespace
}  // namespace warpdex
