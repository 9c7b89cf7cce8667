// Reads all of an index and checks what opening it does not.
#include "warpdex/indexer/format/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "columns/verify_columns.hpp"
#include "format/verify_changes.hpp"
#include "format/verify_stored.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/positions.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/vector/format/row_index.hpp"
#include "warpdex/vector/format/row_sections.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kMaxProblems = 20;

using Block = std::array<std::uint32_t, kBlockSize>;

/// Whether a pair of the bound is at least as large as the posting, in both ways.
bool bounded(const ScoreBound& bound, std::uint32_t frequency, std::uint32_t length) {
  for (std::size_t i = 0; i < kBoundPairs; ++i) {
    if (rounded_value(bound.frequencies[i]) >= frequency &&
        rounded_value(bound.lengths[i]) <= length) {
      return true;
    }
  }
  return false;
}

/// Whether the largest impact of a bound is no smaller than the posting's.
bool bounds_impact(const ScoreBound& bound, std::uint32_t impact) {
  return std::all_of(bound.frequencies.begin(), bound.frequencies.end(),
                     [impact](std::uint8_t largest) { return largest >= impact; });
}

/// Adds up one list; throws FormatError where it contradicts itself.
class ListChecker {
 public:
  explicit ListChecker(const Index& index) : index_(index), positioned_(index.settings()) {}

  void check(const PostingsEntry& entry) {
    const CodecSettings& codec = index_.settings().codec;
    const std::uint64_t documents = index_.counts().documents;
    lengths_ = index_.lengths(entry.field);
    occurrences_ = 0;
    seeds_ = {};
    ranges_ = {};
    reached_ = {};
    if (entry.is_short()) {
      read_short_list(codec, index_.sections(), entry, documents, docids_.data(),
                      frequencies_.data());
      add_block(entry.document_frequency, nullptr);
    } else {
      const PostingsView list(codec, index_.sections(), entry, documents);
      seeds_ = list_seeds(index_.sections(), entry);
      ranges_ = list_range_bounds(index_.sections(), entry, documents);
      for (std::uint32_t block = 0; block < list.blocks(); ++block) {
        if (block > 0 && list.last_docids()[block] <= list.last_docids()[block - 1]) {
          throw FormatError("last docIDs of blocks do not ascend");
        }
        list.read_docids(block, docids_.data());
        list.read_frequencies(block, frequencies_.data());
        add_block(list.block_count(block), &list.bounds()[block]);
      }
      if (occurrences_ != entry.collection_frequency) {
        throw FormatError("frequencies do not add up to the collection frequency");
      }
      check_seeds();
    }
    if (positioned_.has(entry.field)) check_positions(entry);
    tokens_ += occurrences_;
    postings_ += entry.document_frequency;
  }

  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t postings() const { return postings_; }

 private:
  void add_block(std::uint32_t count, const ScoreBound* bound) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i > 0 && docids_[i] <= docids_[i - 1]) throw FormatError("docIDs do not ascend");
      check_value(docids_[i], frequencies_[i], bound);
      occurrences_ += frequencies_[i];
    }
  }

  void check_value(std::uint32_t docid, std::uint32_t frequency, const ScoreBound* bound) {
    const bool is_impact = index_.settings().impacts.has_value();
    const std::uint32_t length = lengths_[docid];
    if (is_impact && (frequency == 0 || frequency > kMaxImpact)) {
      throw FormatError("an impact is not from 1 to 255");
    }
    if (!is_impact && (frequency == 0 || frequency > length)) {
      throw FormatError("a frequency is above its document's length");
    }
    const auto holds = [&](const ScoreBound& of) {
      return is_impact ? bounds_impact(of, frequency) : bounded(of, frequency, length);
    };
    if (bound != nullptr && !holds(*bound)) {
      throw FormatError("a block's score bound does not hold");
    }
    if (!ranges_.empty() && !holds(ranges_[docid / kRangeDocuments])) {
      throw FormatError("a range's score bound does not hold");
    }
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      const bool is_short_enough = is_impact || length <= decode_length(seeds_[i].length);
      reached_[i] += frequency >= seeds_[i].frequency && is_short_enough ? 1 : 0;
    }
  }

  /// Where each block's occurrences start, and that positions are within range.
  void check_positions(const PostingsEntry& entry) {
    PositionReader reader(index_.sections(), entry, occurrences_);
    std::uint64_t before = 0;
    const auto check_block = [&](std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i) {
        positions_.clear();
        reader.read(before, frequencies_[i], positions_);
        before += frequencies_[i];
      }
    };
    if (entry.is_short()) {
      check_block(entry.document_frequency);
      return;
    }
    const PostingsView list(index_.settings().codec, index_.sections(), entry,
                            index_.counts().documents);
    for (std::uint32_t block = 0; block < list.blocks(); ++block) {
      if (reader.start_of_block(block) != before) {
        throw FormatError("a block's positions start elsewhere than its frequencies say");
      }
      list.read_frequencies(block, frequencies_.data());
      check_block(list.block_count(block));
    }
  }

  void check_seeds() const {
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      if (seeds_[i].frequency > 0 && reached_[i] < kSeedRanks[i]) {
        throw FormatError("a seed is above the posting of its rank");
      }
    }
  }

  const Index& index_;
  PositionedTexts positioned_;
  std::span<const std::uint32_t> lengths_;                  ///< in the list's text field
  std::span<const ListSeed> seeds_;                         ///< of the list
  std::span<const ScoreBound> ranges_;                      ///< of the list
  std::array<std::uint32_t, kSeedRanks.size()> reached_{};  ///< postings that reach each seed
  Block docids_;
  Block frequencies_;
  std::vector<std::uint32_t> positions_;  ///< of a document
  std::uint64_t occurrences_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t postings_ = 0;
};

void check_lists(const Index& index, VerifyReport& report,
                 const std::function<void(double)>& progress) {
  ListChecker checker(index);
  std::string before;
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    if (report.terms > 0 && term <= before) throw FormatError("the lexicon's terms do not ascend");
    before = term;
    ++report.terms;
    try {
      checker.check(entry);
    } catch (const FormatError& error) {
      if (report.problems.size() < kMaxProblems) {
        report.problems.push_back("the list of term '" + shown_term(index.settings().schema, term) +
                                  "': " + error.what());
      }
    }
    if (progress && report.terms % 4096 == 0) {
      progress(0.5 + 0.5 * static_cast<double>(checker.postings()) /
                         static_cast<double>(index.counts().postings + 1));
    }
  });
  report.postings = checker.postings();
  if (report.terms != index.counts().terms || report.postings != index.counts().postings ||
      (!index.settings().impacts && checker.tokens() > index.counts().tokens)) {
    // Tokens may be fewer: a generated index has the lists of its queries only.
    report.problems.push_back("terms, postings or tokens are not as many as the manifest says");
  }
}

/// Checks that static scores are finite, not negative and within their bounds. In the unit of
/// impacts, they are whole.
void check_static_scores(const Index& index) {
  const IndexSections& sections = index.sections();
  for (std::size_t document = 0; document < sections.static_scores.size(); ++document) {
    const float score = sections.static_scores[document];
    // Written so that NaN fails each of these.
    if (!(score >= 0 && std::isfinite(score))) {
      throw FormatError("a static score is not a finite number of 0 or more");
    }
    if (index.settings().impacts && !(score <= kMaxStaticImpact && score == std::floor(score))) {
      throw FormatError("a static score is not a whole number from 0 to 2^20");
    }
    if (!(sections.static_bounds[document / kStaticWindow] >= score)) {
      throw FormatError("a bound of static scores does not hold");
    }
  }
}

void check_documents(const Index& index) {
  std::uint64_t tokens = 0;
  for (std::size_t field = 0; field < index.texts(); ++field) {
    const auto lengths = index.lengths(field);
    const std::uint64_t own = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
    tokens += own;
    if (index.texts() == 1) break;
    const TextCounts& counts = index.counts().texts[field];
    const auto empty = std::ranges::count(lengths, 0U);
    if (counts.tokens != own ||
        counts.documents != lengths.size() - static_cast<std::size_t>(empty)) {
      throw FormatError("the lengths of a text field are not those of the manifest's counts");
    }
  }
  if (tokens != index.counts().tokens) {
    throw FormatError("the documents' lengths do not add up to the manifest's tokens");
  }
  for (std::uint64_t document = 0; document < index.counts().documents; ++document) {
    index.document_name(static_cast<std::uint32_t>(document));
  }
}

void check_vectors(const Index& index) {
  const std::vector<VectorSet> sets = vector_sets(index.settings());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    try {
      vector::check_row_sections(index.vectors(set));
      if (index.vector_index(set) != nullptr) index.vector_index(set)->check();
    } catch (const FormatError& error) {
      if (sets[set].name.empty()) throw;
      throw FormatError("the vectors of '" + sets[set].name + "': " + error.what());
    }
  }
}

VerifyReport verify_segment(const Index& index, const std::function<void(double)>& progress) {
  VerifyReport report;
  try {
    check_sections(index, report, progress);
    if (report.ok()) {
      check_documents(index);
      check_static_scores(index);
      check_lists(index, report, progress);
      check_name_order(index);
      check_changes(index);
      check_stored(index);
      check_columns(index.columns());
      check_vectors(index);
    }
  } catch (const FormatError& error) {
    report.problems.emplace_back(error.what());
  }
  return report;
}

}  // namespace

VerifyReport verify_index(const std::filesystem::path& folder,
                          const std::function<void(double)>& progress) {
  VerifyReport report;
  try {
    const Snapshot snapshot = Snapshot::open(folder);
    const auto count = static_cast<double>(snapshot.segments().size());
    double done = 0;
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      const VerifyReport own = verify_segment(*segment.index, [&](double share) {
        if (progress) progress((done + share) / count);
      });
      for (const std::string& problem : own.problems) {
        report.problems.push_back(
            (count > 1 ? "segment " + std::to_string(segment.index->segment_number()) + ": " : "") +
            problem);
      }
      report.sections += own.sections;
      report.terms += own.terms;
      report.postings += own.postings;
      ++done;
    }
  } catch (const FormatError& error) {
    report.problems.emplace_back(error.what());
  }
  return report;
}

}  // namespace warpdex
