// Documents in their new order, then list by list: decoded, renumbered and encoded side by side.
#include "rewrite/rewriter.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "build/allowance.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/ordered_pipeline.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::rewrite {
namespace {

// What a list costs beside its postings: vectors and their blocks from the allocator, its entry.
constexpr std::uint64_t kListBytes = 800;
constexpr std::uint64_t kMinGroup = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxGroup = std::uint64_t{4} << 20;
constexpr std::uint64_t kDocumentsPerCheck = 4096;

[[noreturn]] void damaged(const Index& index, const std::string& what) {
  throw FormatError("the index '" + index.folder().string() + "' is damaged (" + what +
                    "); restore it or build it again");
}

struct Term {
  std::string name;
  PostingsEntry entry;
};

/// Terms that follow each other, on their way from one index to the other.
struct Group {
  std::vector<Term> terms;
  std::vector<EncodedPostings> encoded;
  build::Held held;

  void clear() {
    terms.clear();
    encoded.clear();
    held.release();
  }
};

/// The lists of an index with docIDs renumbered; checks what an encoder relies on.
class ListReader {
 public:
  ListReader(const Index& index, std::span<const std::uint32_t> new_docids)
      : index_(index), new_docids_(new_docids) {}

  Postings read(const PostingsEntry& entry) const {
    Postings list = read_postings(index_, entry);
    if (!new_docids_.empty()) renumber(list);
    const std::uint32_t max =
        index_.settings().impacts ? kMaxImpact : std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < list.docids.size(); ++i) {
      if (i > 0 && list.docids[i] <= list.docids[i - 1]) damaged(index_, "docIDs do not ascend");
      if (list.frequencies[i] < 1 || list.frequencies[i] > max) {
        damaged(index_, "a frequency is out of range");
      }
    }
    return list;
  }

 private:
  void renumber(Postings& list) const {
    std::vector<std::uint64_t> pairs(list.docids.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = std::uint64_t{new_docids_[list.docids[i]]} << 32 | list.frequencies[i];
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      list.docids[i] = static_cast<std::uint32_t>(pairs[i] >> 32);
      list.frequencies[i] = static_cast<std::uint32_t>(pairs[i]);
    }
  }

  const Index& index_;
  std::span<const std::uint32_t> new_docids_;  ///< by old docID; empty: they stay
};

class Rewriter {
 public:
  Rewriter(const Index& from, const RewriteSettings& settings, IndexWriter& to,
           const std::function<void(std::uint64_t)>& progress)
      : from_(from),
        settings_(settings),
        to_(to),
        progress_(progress),
        keeps_impacts_(from.settings().impacts.has_value()),
        group_bytes_(std::clamp(settings.memory / (2 * settings.threads), kMinGroup, kMaxGroup)),
        allowance_(std::max(settings.memory, settings.threads * group_bytes_)) {}

  void run() {
    if (keeps_impacts_) to_.keep_impacts(from_.settings().impacts->largest);
    add_documents();
    add_lists();
  }

 private:
  void add_documents() {
    const std::uint64_t documents = from_.counts().documents;
    if (!settings_.order.empty()) new_docids_.resize(documents);
    for (std::uint64_t i = 0; i < documents; ++i) {
      if (i % kDocumentsPerCheck == 0) progress_(0);
      const auto docid = static_cast<std::uint32_t>(i);
      const std::uint32_t old = settings_.order.empty() ? docid : settings_.order[i];
      if (!settings_.order.empty()) new_docids_[old] = docid;
      add_document(old);
    }
  }

  void add_document(std::uint32_t docid) {
    const std::span<const float> statics = from_.sections().static_scores;
    const float score = statics.empty() ? 0 : statics[docid];
    if (!std::isfinite(score) || score < 0) damaged(from_, "a static score is out of range");
    to_.add_document(from_.document_name(docid), from_.lengths()[docid], score);
  }

  void add_lists() {
    const ListReader reader(from_, new_docids_);
    const ListEncoder encoder(settings_.index, to_.lengths());
    build::OrderedPipeline<Group>(settings_.threads)
        .run([this](Group& group) { return take(group); },
             [&](std::size_t, Group& group) {
               group.encoded.reserve(group.terms.size());
               for (const Term& term : group.terms) {
                 group.encoded.push_back(encode(encoder, reader.read(term.entry)));
               }
             },
             [this](Group& group) { add(group); },
             [](std::size_t, Group& group) { group.clear(); });
  }

  /// The next terms, together of about a group's bytes; at least one.
  bool take(Group& group) {
    if (!has_pending()) return false;
    std::uint64_t cost = cost_of(pending_.front());
    group.held.acquire(allowance_, std::max(cost, group_bytes_));
    do {
      group.terms.push_back(std::move(pending_.front()));
      pending_.pop_front();
      if (!has_pending()) break;
      cost += cost_of(pending_.front());
    } while (cost <= group_bytes_);
    return true;
  }

  bool has_pending() {
    while (pending_.empty() && next_group_ < from_.term_groups()) {
      from_.for_each_term_of_group(next_group_++,
                                   [this](std::string_view name, const PostingsEntry& entry) {
                                     pending_.push_back({std::string(name), entry});
                                   });
    }
    return !pending_.empty();
  }

  static std::uint64_t cost_of(const Term& term) {
    return kListBytes + term.name.size() + kBytesPerPosting * term.entry.document_frequency;
  }

  EncodedPostings encode(const ListEncoder& encoder, const Postings& list) const {
    if (!keeps_impacts_) return encoder.encode(list.docids, list.frequencies);
    return encode_impacts(settings_.index.codec, list.docids, list.frequencies,
                          from_.counts().documents);
  }

  void add(const Group& group) {
    for (std::size_t i = 0; i < group.terms.size(); ++i) {
      const std::string& name = group.terms[i].name;
      if (has_last_ && name <= last_) damaged(from_, "terms do not ascend");
      to_.add_list(name, group.encoded[i]);
      last_ = name;
      has_last_ = true;
      postings_ += group.terms[i].entry.document_frequency;
    }
    progress_(postings_);
  }

  const Index& from_;
  const RewriteSettings& settings_;
  IndexWriter& to_;
  const std::function<void(std::uint64_t)>& progress_;
  bool keeps_impacts_;
  std::uint64_t group_bytes_;
  build::Allowance allowance_;
  std::vector<std::uint32_t> new_docids_;
  std::deque<Term> pending_;
  std::uint64_t next_group_ = 0;
  std::string last_;
  bool has_last_ = false;
  std::uint64_t postings_ = 0;
};

}  // namespace

void rewrite_index(const Index& from, const RewriteSettings& settings, IndexWriter& to,
                   const std::function<void(std::uint64_t)>& progress) {
  Rewriter(from, settings, to, progress).run();
}

}  // namespace warpdex::rewrite
