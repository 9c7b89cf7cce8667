// The impacts of a collection by the formulas of docs/format.md, written apart from the quantiser
// under test.
#include <cmath>

#include "tests/reference/oracle.hpp"

namespace warpdex::reference {
namespace {

double nearest(double value) { return std::floor(value + 0.5); }

double idf(double documents, double document_frequency) {
  return std::log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5));
}

}  // namespace

Collection Collection::to_impacts(double k1, double b) const {
  Collection impacts = *this;
  const auto count = static_cast<double>(documents());
  const double average = static_cast<double>(tokens_) / count;
  const double unit = idf(count, 1) / 255;
  for (auto& [term, postings] : impacts.postings_) {
    const double weight = idf(count, static_cast<double>(postings.size()));
    for (Posting& posting : postings) {
      const double frequency = posting.frequency;
      const double norm = k1 * (1 - b + b * lengths_[posting.document] / average);
      const double score = weight * frequency / (frequency + norm);
      posting.frequency = static_cast<std::uint32_t>(std::max(1.0, nearest(score / unit)));
    }
  }
  for (float& score : impacts.static_scores_) {
    score = static_cast<float>(std::min(1048576.0, nearest(score / unit)));
  }
  return impacts;
}

}  // namespace warpdex::reference
