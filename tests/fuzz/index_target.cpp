// An index whose files are damaged, then verified, opened, read and searched. The input, by its
// bytes: the index; how it is damaged and searched (see Choices); then edits, each of
//
//   file (1)  kind (1)  place (3)  length (1)  bytes (length, where the kind takes any)
//
// Repaired, edits are of what is in a section, whose sizes and checksums are then made to fit, as
// is the manifest's; else they are of the bytes of files, and verify must find them. What verify
// finds in order, whatever was edited, must be answered as the oracle does.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "tests/fuzz/index_copies.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/hybrid/vector_half.hpp"

namespace warpdex::fuzz {
namespace {

/// What the bits of the input's second byte say.
struct Choices {
  bool repaired;          ///< bit 0
  bool large_k;           ///< bit 1
  bool query_likelihood;  ///< bit 2
  bool count;             ///< bit 3

  explicit Choices(std::uint8_t byte)
      : repaired((byte & 1) != 0),
        large_k((byte & 2) != 0),
        query_likelihood((byte & 4) != 0),
        count((byte & 8) != 0) {}

  SearchSettings settings(QueryMode mode) const {
    SearchSettings settings;
    settings.mode = mode;
    settings.k = large_k ? 1000 : 3;
    settings.count = count;
    if (query_likelihood) settings.scorer.kind = ScorerKind::kQueryLikelihood;
    return settings;
  }
};

enum class EditKind { kOverwrite, kAdd, kInsert, kErase, kTruncate };
constexpr std::uint8_t kEditKinds = 5;

/// Edits `bytes` as the next bytes of the input say.
void edit(InputBytes& input, std::string& bytes) {
  const auto kind = static_cast<EditKind>(input.byte() % kEditKinds);
  const std::size_t place = input.number(3) % (bytes.size() + 1);
  const std::size_t length = input.byte();
  switch (kind) {
    case EditKind::kOverwrite: {
      const std::string_view text = input.take(length);
      bytes.replace(place, text.size(), text.substr(0, bytes.size() - place));
      break;
    }
    case EditKind::kAdd: {  // to a byte
      if (place < bytes.size()) bytes[place] = static_cast<char>(bytes[place] + length);
      break;
    }
    case EditKind::kInsert: bytes.insert(place, input.take(length)); break;
    case EditKind::kErase: bytes.erase(place, length); break;
    case EditKind::kTruncate: bytes.resize(place); break;
  }
}

/// The contents of an index's files while they are edited.
class Damage {
 public:
  Damage(IndexCopy& index, bool repaired) : index_(index), repaired_(repaired) {
    edited_.resize(index.files());
  }

  /// Makes all edits; true if any byte is another one now.
  bool apply(InputBytes& input) {
    while (!input.empty()) {
      const std::size_t file = input.byte() % index_.files();
      if (repaired_ && index_.is_manifest(file)) {
        edit_manifest(input);
      } else {
        std::optional<std::string>& bytes = edited_[file];
        if (!bytes) bytes = original(file);
        edit(input, *bytes);
      }
    }
    return write();
  }

 private:
  std::string original(std::size_t file) const {
    return repaired_ ? std::string(index_.section(file)) : index_.bytes(file);
  }

  /// The manifest is edited last, when it has the sizes and checksums of the edited sections.
  void edit_manifest(InputBytes& input) {
    std::string bytes;
    const InputBytes before = input;
    edit(input, bytes);
    manifest_edits_.push_back(before);
  }

  bool write() {
    bool is_changed = false;
    for (std::size_t file = 0; file < edited_.size(); ++file) {
      if (!edited_[file] || *edited_[file] == original(file)) continue;
      is_changed = true;
      if (repaired_) {
        index_.write_section(file, *edited_[file]);
      } else {
        index_.write(file, *edited_[file]);
      }
    }
    if (repaired_) write_manifest();
    return is_changed;
  }

  void write_manifest() {
    std::string manifest = index_.manifest();
    for (InputBytes& place : manifest_edits_) edit(place, manifest);
    index_.write(index_.files() - 1, with_checksum(std::move(manifest)));
  }

  IndexCopy& index_;
  bool repaired_;
  std::vector<std::optional<std::string>> edited_;  // by file
  std::vector<InputBytes> manifest_edits_;          // where each starts
};

std::vector<Query> make_queries() {
  constexpr auto kAny = Occur::kUnsigned;
  constexpr auto kMust = Occur::kMust;
  return {{"1", {{"everywhere", kAny}, {"often", kAny}}},
          {"2", {{"w1", kAny}, {"w2", kAny}, {"w3", kAny}, {"once200", kAny}}},
          {"3", {{"everywhere", kMust}, {"w0", kAny}, {"w5", Occur::kMustNot}}},
          {"4", {{"often", kMust}, {"clustered", kMust}}},
          {"5", {{"often", kAny}, {"w7", kAny}, {"w7", kAny}, {std::string(40, 'x'), kAny}}},
          {"6", {{"unknown", kAny}, {"w2", kAny}}}};
}

const std::vector<Query>& queries() {
  static const std::vector<Query> all = make_queries();
  return all;
}

constexpr std::array kModes{QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr};

void search(const Index& index, CpuSearcher& searcher, const Query& query,
            const SearchSettings& settings) {
  const SearchResult result = searcher.search(query, settings);
  require(result.hits.size() <= settings.k, "no more than k documents are returned");
  for (const Hit& hit : result.hits) {
    require(hit.document < index.counts().documents, "documents of the index are returned");
    index.document_name(hit.document);
  }
}

/// Reads all lists. What is damaged is skipped; the last refusal is thrown in the end.
void read_lists(const Index& index) {
  std::optional<FormatError> refusal;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    try {
      const Postings postings = read_postings(index, entry);
      require(postings.docids.size() == entry.document_frequency,
              "a list has as many documents as its header says");
    } catch (const FormatError& error) {
      refusal = error;
    }
  });
  if (refusal) throw FormatError(*refusal);
}

/// Reads all stored documents, and looks for near vectors.
template <class Attempt>
void read_extras(const std::filesystem::path& folder, const Attempt& attempt) {
  const Snapshot snapshot = Snapshot::open(folder);
  if (!snapshot.settings().stored_fields.empty()) {
    StoredReader reader(snapshot);
    for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) attempt([&] { reader.read(i); });
  }
  const std::vector<VectorSet> sets = vector_sets(snapshot.settings());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::vector<float> query(sets[set].rows.dimension, 1);
    for (const std::vector<Hit>& hits : VectorHalf(snapshot, 1, set).nearest(query, 10)) {
      for (const Hit& hit : hits) {
        require(hit.document < snapshot.docid_end(), "documents of the index are near");
      }
    }
  }
}

/// Opens the index and asks it everything; the message of the last refusal, if there was any. A
/// searcher stays of use after a refusal.
std::optional<std::string> use(const std::filesystem::path& folder, const Choices& choices) {
  std::optional<std::string> refusal;
  const auto attempt = [&](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      refusal = error.what();
    }
  };
  attempt([&] {
    const Index index = Index::open(folder);
    CpuSearcher searcher(index);
    for (const QueryMode mode : kModes) {
      for (const Query& query : queries()) {
        attempt([&] { search(index, searcher, query, choices.settings(mode)); });
      }
    }
    attempt([&] { read_lists(index); });
  });
  attempt([&] { read_extras(folder, attempt); });
  return refusal;
}

/// That an index that is in order is answered as the oracle answers it.
void check_answers(const std::filesystem::path& folder, const Choices& choices) {
  const Index index = Index::open(folder);
  const reference::Collection collection = test::collection_of(index);
  CpuSearcher searcher(index);
  for (const QueryMode mode : kModes) {
    SearchSettings settings = choices.settings(mode);
    settings.scorer = effective_scorer(index.settings(), settings.scorer);
    for (const Query& query : queries()) {
      const test::Truth truth = test::find_truth(collection, query, settings);
      const std::string wrong = test::judge(truth, searcher.search(query, settings), settings);
      require(wrong.empty(), "what verify finds in order is answered right, but query " + query.id +
                                 " is " + wrong);
    }
  }
}

std::vector<std::unique_ptr<IndexCopy>> make_copies() {
  std::vector<std::unique_ptr<IndexCopy>> copies;
  for (std::size_t i = 0; i < kIndexes; ++i) {
    copies.push_back(std::make_unique<IndexCopy>(work_folder() / std::to_string(i), i));
  }
  return copies;
}

void run(InputBytes input) {
  static const std::vector<std::unique_ptr<IndexCopy>> copies = make_copies();
  IndexCopy& index = *copies[input.byte() % copies.size()];
  const Choices choices(input.byte());
  const bool is_changed = Damage(index, choices.repaired).apply(input);
  const VerifyReport report = verify_index(index.folder());
  const std::optional<std::string> refusal = use(index.folder(), choices);
  if (is_changed && !choices.repaired) require(!report.ok(), "verify finds every changed byte");
  if (report.ok()) {
    require(!refusal, "what verify finds in order is not refused: " + refusal.value_or(""));
    check_answers(index.folder(), choices);
  }
  index.restore();
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
