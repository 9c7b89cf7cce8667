#include "tests/indexer/reorder/order_support.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace warpdex::test {
namespace {

std::vector<std::uint32_t> as_vector(const std::set<std::uint32_t>& terms) {
  return {terms.begin(), terms.end()};
}

}  // namespace

TermSets clustered_terms(std::mt19937_64& random, std::size_t clusters, std::size_t size) {
  TermSets documents;
  for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
    for (std::size_t i = 0; i < size; ++i) {
      std::set<std::uint32_t> terms;
      const auto first = static_cast<std::uint32_t>(100 + 40 * cluster);
      while (terms.size() < 10) terms.insert(first + static_cast<std::uint32_t>(random() % 40));
      while (terms.size() < 15) terms.insert(static_cast<std::uint32_t>(random() % 100));
      documents.push_back(as_vector(terms));
    }
  }
  return documents;
}

TermSets random_terms(std::mt19937_64& random, std::size_t documents, std::uint32_t terms,
                      std::size_t min, std::size_t max) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::uniform_int_distribution<std::size_t> length(min, max);
  TermSets sets;
  for (std::size_t i = 0; i < documents; ++i) {
    std::set<std::uint32_t> set;
    for (std::size_t left = length(random); left > 0; --left) {
      set.insert(static_cast<std::uint32_t>(std::pow(terms, uniform(random))) - 1);
    }
    sets.push_back(as_vector(set));
  }
  return sets;
}

reorder::ForwardIndex forward_of(const TermSets& documents) {
  reorder::ForwardIndex forward;
  forward.offsets.push_back(0);
  for (const std::vector<std::uint32_t>& terms : documents) {
    for (const std::uint32_t term : terms) {
      forward.terms.push_back(term);
      forward.term_count = std::max(forward.term_count, term + 1);
    }
    forward.offsets.push_back(forward.terms.size());
  }
  return forward;
}

double log_gap_cost(const TermSets& documents, const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::uint32_t> next;  // by term: one past its last docID so far
  double bits = 0;
  for (std::uint32_t docid = 0; docid < order.size(); ++docid) {
    for (const std::uint32_t term : documents[order[docid]]) {
      bits += std::log2(docid + 1 - next[term]);
      next[term] = docid + 1;
    }
  }
  return bits;
}

std::vector<std::uint32_t> identity(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::vector<std::uint32_t> shuffled(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint32_t> order = identity(count);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

std::vector<Document> as_documents(std::mt19937_64& random, const TermSets& documents) {
  std::vector<Document> result;
  for (const std::vector<std::uint32_t>& terms : documents) {
    std::string text;
    for (const std::uint32_t term : terms) {
      for (std::uint64_t left = 1 + random() % 4; left > 0; --left) {
        text += 't' + std::to_string(term) + ' ';
      }
    }
    result.push_back({"d" + std::to_string(result.size()), text});
  }
  return result;
}

}  // namespace warpdex::test
