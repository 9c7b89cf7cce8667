// Documents in their new order, then term by term: lists are read and encoded side by side.
#include "rewrite/rewriter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "build/allowance.hpp"
#include "rewrite/renumbered_index.hpp"
#include "warpdex/indexer/build/ordered_pipeline.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::rewrite {
namespace {

// Memory of a list beside its postings: vectors, what the allocator adds to them, and its entry.
constexpr std::uint64_t kListBytes = 800;
constexpr std::uint64_t kMinGroup = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxGroup = std::uint64_t{4} << 20;
constexpr std::uint64_t kDocumentsPerCheck = 4096;

/// A term in the sources that have it.
struct Term {
  struct List {
    std::size_t source;
    PostingsEntry entry;
  };
  std::string name;
  std::vector<List> lists;
};

/// Terms that follow each other, on their way from one index to the other.
struct Group {
  std::vector<Term> terms;
  std::vector<std::optional<EncodedPostings>> encoded;  ///< none: no document of the list is left
  build::Held held;

  void clear() {
    terms.clear();
    encoded.clear();
    held.release();
  }
};

class Rewriter {
 public:
  Rewriter(std::span<const RewriteSource> from, const RewriteSettings& settings, IndexWriter& to,
           const std::function<void(std::uint64_t)>& progress)
      : settings_(settings),
        to_(to),
        progress_(progress),
        vector_sets_(vector_sets(settings.index).size()),
        keeps_impacts_(from.front().index->settings().impacts.has_value()),
        group_bytes_(std::clamp(settings.memory / (2 * settings.threads), kMinGroup, kMaxGroup)),
        allowance_(std::max(settings.memory, settings.threads * group_bytes_)) {
    for (const RewriteSource& source : from) sources_.emplace_back(*source.index, source.removed);
  }

  void run() {
    to_.set_threads(settings_.threads);
    if (keeps_impacts_) to_.keep_impacts(sources_[0].index().settings().impacts->largest);
    if (settings_.order.empty()) {
      for (RenumberedIndex& source : sources_) add_documents(source);
    } else {
      add_in_order(sources_[0]);
    }
    add_lists();
  }

 private:
  void add_documents(RenumberedIndex& source) {
    const std::uint64_t documents = source.index().counts().documents;
    const bool all_stay = source.removed().none();
    source.set_first(added_);
    std::vector<std::uint32_t> new_docids(all_stay ? 0 : documents, RenumberedIndex::kGone);
    for (std::uint64_t i = 0; i < documents; ++i) {
      if (i % kDocumentsPerCheck == 0) progress_(0);
      if (source.removed().contains(i)) continue;
      if (!all_stay) new_docids[i] = added_;
      add_document(source, static_cast<std::uint32_t>(i));
    }
    if (!all_stay) source.set_new_docids(std::move(new_docids), true);
  }

  void add_in_order(RenumberedIndex& source) {
    std::vector<std::uint32_t> new_docids(source.index().counts().documents);
    for (const std::uint32_t old : settings_.order) {
      if (added_ % kDocumentsPerCheck == 0) progress_(0);
      new_docids[old] = added_;
      add_document(source, old);
    }
    source.set_new_docids(std::move(new_docids), false);
  }

  void add_document(RenumberedIndex& source, std::uint32_t docid) {
    const Index& index = source.index();
    const std::span<const float> statics = index.sections().static_scores;
    const float score = statics.empty() ? 0 : statics[docid];
    if (!std::isfinite(score) || score < 0) damaged(index, "a static score is out of range");
    lengths_.clear();
    for (std::size_t field = 0; field < index.texts(); ++field) {
      lengths_.push_back(index.lengths(field)[docid]);
    }
    to_.add_document(index.document_name(docid), lengths_, score);
    if (!settings_.index.stored_fields.empty()) to_.add_stored(source.stored_record(docid));
    if (!index.columns().empty()) to_.add_values(index.field_values(docid));
    for (std::size_t set = 0; set < vector_sets_; ++set) {
      to_.copy_vector(index.vectors(set).vectors, docid, set);
    }
    ++added_;
  }

  void add_lists() {
    const ListEncoder encoder(settings_.index, to_.all_lengths());
    build::OrderedPipeline<Group>(settings_.threads)
        .run([this](Group& group) { return take(group); },
             [&](std::size_t, Group& group) {
               group.encoded.reserve(group.terms.size());
               for (const Term& term : group.terms) group.encoded.push_back(encode(encoder, term));
             },
             [this](Group& group) { add(group); },
             [](std::size_t, Group& group) { group.clear(); });
  }

  /// The next terms, together of about a group's bytes; at least one.
  bool take(Group& group) {
    std::optional<Term> term = next_term();
    if (!term) return false;
    std::uint64_t cost = cost_of(*term);
    group.held.acquire(allowance_, std::max(cost, group_bytes_));
    for (;;) {
      group.terms.push_back(std::move(*term));
      term = next_term();
      if (!term) break;
      cost += cost_of(*term);
      if (cost > group_bytes_) break;
    }
    kept_ = std::move(term);
    return true;
  }

  std::optional<Term> next_term() {
    if (kept_) return std::exchange(kept_, std::nullopt);
    const std::string* least = nullptr;
    for (RenumberedIndex& source : sources_) {
      const std::string* name = source.next_name();
      if (name != nullptr && (least == nullptr || *name < *least)) least = name;
    }
    if (least == nullptr) return std::nullopt;
    Term term{*least, {}};
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::string* name = sources_[i].next_name();
      if (name != nullptr && *name == term.name) term.lists.push_back({i, sources_[i].take()});
    }
    return term;
  }

  static std::uint64_t cost_of(const Term& term) {
    std::uint64_t cost = kListBytes + term.name.size();
    for (const Term::List& list : term.lists) {
      cost += kBytesPerPosting * list.entry.document_frequency +
              kBytesPerPosition * list.entry.occurrences;
    }
    return cost;
  }

  std::optional<EncodedPostings> encode(const ListEncoder& encoder, const Term& term) const {
    Postings list;
    for (const Term::List& part : term.lists) sources_[part.source].read(part.entry, list);
    if (list.docids.empty()) return std::nullopt;
    const std::optional<ImpactSettings>& impacts = settings_.index.impacts;
    if (!keeps_impacts_ || impacts->source != ImpactSource::kBm25) {
      return encoder.encode(list.docids, list.frequencies, list.steps, encoder.field_of(term.name));
    }
    return encode_impacts(settings_.index.codec, list.docids, list.frequencies,
                          to_.lengths().size());
  }

  void add(const Group& group) {
    for (std::size_t i = 0; i < group.terms.size(); ++i) {
      const std::string& name = group.terms[i].name;
      if (has_last_ && name <= last_) damaged(sources_[0].index(), "terms do not ascend");
      last_ = name;
      has_last_ = true;
      for (const Term::List& list : group.terms[i].lists) {
        postings_ += list.entry.document_frequency;
      }
      if (group.encoded[i]) to_.add_list(name, *group.encoded[i]);
    }
    progress_(postings_);
  }

  std::vector<RenumberedIndex> sources_;
  const RewriteSettings& settings_;
  IndexWriter& to_;
  const std::function<void(std::uint64_t)>& progress_;
  std::size_t vector_sets_;
  bool keeps_impacts_;
  std::uint64_t group_bytes_;
  build::Allowance allowance_;
  std::uint32_t added_ = 0;             ///< documents
  std::vector<std::uint32_t> lengths_;  ///< of one document
  std::optional<Term> kept_;            ///< a term that is yet to be taken
  std::string last_;
  bool has_last_ = false;
  std::uint64_t postings_ = 0;
};

}  // namespace

void rewrite_index(std::span<const RewriteSource> from, const RewriteSettings& settings,
                   IndexWriter& to, const std::function<void(std::uint64_t)>& progress) {
  Rewriter(from, settings, to, progress).run();
}

}  // namespace warpdex::rewrite
