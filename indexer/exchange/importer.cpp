// Lists are checked first, since their sums show whether the lengths can be right. Then documents
// are written, then lists in the order of their terms.
#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

#include "build/id_table.hpp"
#include "build/list_stage.hpp"
#include "build/memory_plan.hpp"
#include "build/progress.hpp"
#include "build/term_merger.hpp"
#include "build/weights.hpp"
#include "exchange/import_run.hpp"
#include "exchange/list_source.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::exchange {
namespace {

/// Of a list that is being read: docIDs and frequencies, in vectors that double as they grow.
constexpr std::uint64_t kReadBytesPerPosting = 16;
/// Of a document.
constexpr std::uint64_t kMaxLength = std::numeric_limits<std::int32_t>::max();
/// Postings carry a weight up to this as itself: see build::encode_weight().
constexpr std::uint32_t kMaxWeight = (1U << 20) - 1;

void check_options(const ImportOptions& options) {
  if (options.memory < kMinBuildMemory) {
    throw UsageError("importing needs at least " + std::to_string(kMinBuildMemory >> 20) +
                     " MiB of memory; allow more");
  }
  check_analyzer(options.analyzer);
}

IndexSettings settings_of(const ImportOptions& options, const std::string& fields) {
  IndexSettings settings;
  settings.codec = options.codec;
  settings.analyzer = canonical_analyzer(options.analyzer);
  settings.fields = fields;
  settings.impacts = options.impacts;
  // With BM25's impacts, an index does not change.
  settings.has_forward = !options.impacts || options.impacts->source != ImpactSource::kBm25;
  return settings;
}

class Import {
 public:
  Import(const ImportOptions& options, const std::string& fields)
      : options_(options),
        settings_(settings_of(options, fields)),
        plan_(build::plan_memory(options.memory,
                                 options.threads != 0 ? options.threads : default_threads())),
        writer_(options.output, settings_),
        progress_(options.on_progress) {}

  ImportReport run(const OpenForeign& open) {
    progress_.counts().stage = "reading";
    foreign_ = open(writer_.scratch_folder(), [this](std::uint64_t done, std::uint64_t total) {
      progress_.counts().bytes_consumed = done;
      progress_.counts().bytes_total = total;
      progress_.report();
    });
    check_documents();
    sort_lists();
    check_lists();
    settle_weights();
    add_documents();
    write_lists();
    report_.notes = foreign_->notes(report_.tokens);
    report_.description = foreign_->description();
    for (std::string& note : writer_.commit([this] { progress_.report(true); })) {
      report_.notes.push_back(std::move(note));
    }
    return report_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(foreign_->name() + ": " + what);
  }

  bool are_weights() const {
    return options_.impacts && options_.impacts->source != ImpactSource::kBm25;
  }
  ListLimits limits() const {
    ListLimits limits{.documents = foreign_->documents()};
    if (are_weights()) limits.frequency = kMaxWeight;
    return limits;
  }

  void check_documents() const;
  void check_term(std::string_view term) const;
  void sort_lists();
  std::uint64_t memory_for_lists() const;
  void check_lists();
  void settle_weights();
  void add_documents();
  void write_lists();

  const ImportOptions& options_;
  IndexSettings settings_;
  build::MemoryPlan plan_;
  IndexWriter writer_;
  build::Progress progress_;
  std::unique_ptr<ForeignIndex> foreign_;
  std::vector<std::uint64_t> occurrences_;  ///< by docID: what its postings add up to
  build::WeightSummary weights_;            ///< of learned weights
  ImportReport report_;
};

/// A file without documents must not replace an index.
void Import::check_documents() const {
  if (foreign_->documents() > kMaxDocuments) {
    fail("it has " + std::to_string(foreign_->documents()) +
         " documents, and an index holds at most 2147483647; split the collection");
  }
  std::error_code ignored;
  if (foreign_->documents() == 0 &&
      std::filesystem::exists(options_.output / kManifestName, ignored)) {
    fail("it holds no document; the index at '" + options_.output.string() +
         "' stays as it was: remove it first if it is to be replaced by an empty one");
  }
}

void Import::check_term(std::string_view term) const {
  if (term.empty()) fail("a term is empty; every list needs a term");
  if (analysis::find_invalid_utf8(term) < term.size()) {
    fail("the term '" + excerpt(term.substr(0, analysis::find_invalid_utf8(term))) +
         "...' is not UTF-8; convert the terms first");
  }
}

/// By the bytes of their terms, without the empty ones and those whose term is too long.
void Import::sort_lists() {
  std::vector<ForeignList>& lists = foreign_->lists();
  report_.long_terms = std::erase_if(
      lists, [](const ForeignList& list) { return list.term.size() > kMaxTermBytes; });
  for (const ForeignList& list : lists) check_term(list.term);
  const auto comes_first = [](const ForeignList& a, const ForeignList& b) {
    return a.term < b.term;
  };
  if (!std::is_sorted(lists.begin(), lists.end(), comes_first)) {
    std::sort(lists.begin(), lists.end(), comes_first);
  }
  const auto twice = std::adjacent_find(
      lists.begin(), lists.end(),
      [](const ForeignList& a, const ForeignList& b) { return a.term == b.term; });
  if (twice != lists.end()) fail("two lists are of the term '" + excerpt(twice->term) + "'");
  report_.empty_lists =
      std::erase_if(lists, [](const ForeignList& list) { return list.postings == 0; });
}

/// What tables leave.
std::uint64_t Import::memory_for_lists() const {
  const std::uint64_t tables =
      foreign_->memory() + writer_.memory() + occurrences_.capacity() * sizeof(occurrences_[0]);
  return plan_.writing - std::min(plan_.writing, tables);
}

void Import::check_lists() {
  const std::vector<ForeignList>& lists = foreign_->lists();
  BuildProgress& counts = progress_.counts();
  counts.stage = "checking";
  for (const ForeignList& list : lists) counts.postings_total += list.postings;
  occurrences_.assign(foreign_->documents(), 0);
  ListPostings postings;
  for (const ForeignList& list : lists) {
    const std::uint64_t bytes =
        list.postings * (build::kListBytesPerPosting + kReadBytesPerPosting);
    if (bytes > memory_for_lists()) {
      fail("the list of '" + excerpt(list.term) + "' has " + std::to_string(list.postings) +
           " postings, which take " + std::to_string((bytes >> 20) + 1) +
           " MiB beside the tables; allow more memory");
    }
    read_checked(*foreign_, list, limits(), postings);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      occurrences_[postings.docids[i]] += postings.frequencies[i];
      if (are_weights()) weights_.add(static_cast<float>(postings.frequencies[i]));
    }
    counts.postings_written += list.postings;
    progress_.report();
  }
  counts.postings_written = 0;
}

/// Only now is it known whether weights can stay as they are.
void Import::settle_weights() {
  if (!are_weights()) return;
  settings_.impacts = report_.weights = weights_.settings();
  writer_.set_weights(*settings_.impacts);
}

void Import::add_documents() {
  build::IdTable names(true);  // with the bits of their docIDs
  for (std::uint32_t docid = 0; docid < foreign_->documents(); ++docid) {
    const ForeignDocument document = foreign_->document(docid);
    const Location location = foreign_->location(docid);
    check_utf8(document.name, location);
    check_id(document.name, location);
    const build::IdHash hash = build::hash_id(document.name);
    if (!names.insert(hash, std::bit_cast<float>(docid))) {
      const auto first = std::bit_cast<std::uint32_t>(names.find(hash).value());
      fail_document(location, "the id '" + excerpt(document.name) + "' is that of " +
                                  foreign_->location(first).to_string() +
                                  ", too; give each document an id of its own");
    }
    std::uint64_t length = document.length;
    if (options_.lengths == LengthSource::kPostings) {
      length = occurrences_[docid];
    } else if (length < occurrences_[docid] && !are_weights()) {
      fail("the document '" + excerpt(document.name) + "' has a length of " +
           std::to_string(length) + ", and its postings add up to " +
           std::to_string(occurrences_[docid]) +
           "; take the lengths from the postings, as by --lengths postings, or, if these are "
           "learned weights, say so, as by --weights");
    }
    if (length > kMaxLength) {
      fail("the document '" + excerpt(document.name) + "' has a length of " +
           std::to_string(length) + ", and an index holds at most " + std::to_string(kMaxLength));
    }
    writer_.add_document(document.name, static_cast<std::uint32_t>(length));
    report_.tokens += length;
    progress_.report();
  }
  report_.documents = foreign_->documents();
  std::vector<std::uint64_t>().swap(occurrences_);
}

void Import::write_lists() {
  const std::vector<ForeignList>& lists = foreign_->lists();
  std::vector<std::unique_ptr<build::TermSource>> sources;
  sources.push_back(std::make_unique<ListSource>(*foreign_, lists, limits()));
  build::TermMerger terms(std::move(sources));
  const ListEncoder encoder(settings_, writer_.lengths());
  BuildReport written;
  build::write_lists(terms, encoder, are_weights() ? &*settings_.impacts : nullptr, plan_.threads,
                     memory_for_lists() / 2, writer_, progress_, written);
  report_.terms = written.terms;
  report_.postings = written.postings;
}

}  // namespace

ImportReport run_import(const ImportOptions& options, const std::string& fields,
                        const OpenForeign& open) {
  const auto start = std::chrono::steady_clock::now();
  check_options(options);
  ImportReport report = Import(options, fields).run(open);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace warpdex::exchange
