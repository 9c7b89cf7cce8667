// Where the answers to a query log go: a TREC run (trec_run.hpp) or JSON (results_json.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/query/explanation.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// A hit with its document's name.
struct NamedHit {
  std::string_view document;
  float score = 0;
  // TREC runs have no place for these.
  std::span<const ShownField> fields{};      ///< to show
  const Explanation* explanation = nullptr;  ///< of the score
  std::string cursor{};                      ///< of a sorted answer
};

/// One query's answer, best hit first.
struct QueryAnswer {
  std::string_view id;
  std::span<const NamedHit> hits;
  std::uint64_t matches = 0;     ///< documents that match, or a lower bound
  bool matches_exact = false;    ///< whether `matches` was counted
  bool fell_back_to_or = false;  ///< and-or: the answer is OR's
  bool terms_cut = false;        ///< a clause stands for more terms than are taken
  /// Scores are distances, smaller ones better. A run, whose scores must grow with goodness, has
  /// their negatives; JSON has them as they are and says so.
  bool scores_are_distances = false;
  std::span<const Facet> facets{};  ///< JSON has them
};

class ResultWriter {
 public:
  virtual ~ResultWriter() = default;

  /// Writes one answer. Throws InputError for names that the format cannot hold, before any of
  /// the answer is written, and IoError if the stream fails.
  virtual void write(const QueryAnswer& answer) = 0;

  /// Ends the output and flushes the stream; to be called once, last. Throws IoError.
  virtual void finish() = 0;
};

/// `score` with 9 significant digits, which are enough to distinguish all floats; the same as
/// printf's %.9g in the C locale.
std::string format_score(float score);

}  // namespace warpdex
