// Writes the sections of a segment, and the manifest of an index that has no other.
#include "warpdex/indexer/format/index_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "format/document_extras.hpp"
#include "format/forward_writer.hpp"
#include "format/lexicon.hpp"
#include "format/manifest.hpp"
#include "format/name_order.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/segment_files.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/section_names.hpp"

namespace warpdex {
namespace {

/// The payload and offsets of one of the two streams of posting lists.
struct StreamWriter {
  SectionWriter bases;
  SectionWriter offsets;
  SectionWriter codes;
  SectionWriter bytes;

  void add(const EncodedValues& values) {
    const std::size_t blocks = values.codes.size();
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t group_begin = block - block % kBlocksPerBase;
      const std::uint32_t base = values.offsets[group_begin];
      if (block == group_begin && block > 0) bases.append_value(base);
      offsets.append_value(static_cast<std::uint16_t>(values.offsets[block] - base));
    }
    codes.append(values.codes);
    bytes.append(values.bytes);
  }
};

}  // namespace

struct IndexWriter::State {
  State(const std::filesystem::path& target, const IndexSettings& index_settings)
      : State(index_settings, std::make_unique<ReplacementFolder>(target), nullptr, 0, 0) {}
  State(ReplacementFolder& commit, std::uint64_t number, const IndexSettings& index_settings)
      : State(index_settings, nullptr, &commit, number, kSmallSegmentBytes) {}
  State(const IndexSettings& index_settings, std::unique_ptr<ReplacementFolder> own,
        ReplacementFolder* commit, std::uint64_t number, std::uint64_t small_bytes)
      : settings(index_settings),
        own_folder(std::move(own)),
        folder(own_folder ? *own_folder : *commit),
        files(folder, number, small_bytes),
        quantises(index_settings.impacts.has_value()),
        forward(folder.scratch()) {
    if (settings.has_forward) {
      forward_offsets.emplace(files, section::kForwardOffsets);
      forward_bytes.emplace(files, section::kForward);
    }
    extras.emplace(files, settings);
  }

  void append_static_score(float score);
  void finish_impacts();
  void add_to_forward(const EncodedPostings::Data& data);
  void append_blocks(const EncodedPostings::Data& data, PostingsEntry& entry);
  void append_bounds(const ListBounds& bounds, PostingsEntry& entry);

  IndexSettings settings;
  std::unique_ptr<ReplacementFolder> own_folder;  ///< none where it is a commit's
  ReplacementFolder& folder;
  SegmentFiles files;
  IndexCounts counts;
  bool quantises = false;  ///< static scores and `largest` are yet to be turned into impacts' unit
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> name_hashes;
  ForwardWriter forward;
  std::vector<float> unquantised_scores;  ///< static ones, whose unit is known at the end
  std::uint64_t static_count = 0;
  float static_bound = 0;
  std::uint64_t blocks_bases = 0;
  std::uint32_t frequent_lists = 0;

  SectionWriter lexicon_bytes{files, section::kLexicon};
  SectionWriter lexicon_index{files, section::kLexiconIndex};
  SectionWriter short_lists{files, section::kShortLists};
  SectionWriter last_docids{files, section::kBlockLastDocids};
  StreamWriter docids{{files, section::kDocidBases},
                      {files, section::kDocidOffsets},
                      {files, section::kDocidCodes},
                      {files, section::kDocids}};
  StreamWriter frequencies{{files, section::kFrequencyBases},
                           {files, section::kFrequencyOffsets},
                           {files, section::kFrequencyCodes},
                           {files, section::kFrequencies}};
  SectionWriter bounds{files, section::kBlockBounds};
  SectionWriter range_bounds{files, section::kRangeBounds};
  SectionWriter seeds{files, section::kSeeds};
  SectionWriter length_section{files, section::kDocumentLengths};
  SectionWriter name_offsets{files, section::kDocumentNameOffsets};
  SectionWriter names{files, section::kDocumentNames};
  SectionWriter static_scores{files, section::kStaticScores};
  SectionWriter static_bounds{files, section::kStaticBounds};
  SectionWriter name_order{files, section::kDocumentNameOrder};
  std::optional<SectionWriter> forward_offsets;
  std::optional<SectionWriter> forward_bytes;
  std::optional<DocumentExtras> extras;  ///< behind the forward index
  LexiconWriter lexicon{lexicon_bytes, lexicon_index, settings.codec.kind == CodecKind::kPfor};
};

namespace {

template <class T>
void append_all(SectionWriter& writer, const std::vector<T>& values) {
  writer.append({reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace

IndexWriter::IndexWriter(const std::filesystem::path& target, const IndexSettings& settings) {
  if (settings.impacts) check_impact_settings(*settings.impacts);
  state_ = std::make_unique<State>(target, settings);
}

IndexWriter::IndexWriter(ReplacementFolder& folder, std::uint64_t number,
                         const IndexSettings& settings) {
  if (settings.impacts) check_impact_settings(*settings.impacts);
  state_ = std::make_unique<State>(folder, number, settings);
}

IndexWriter::~IndexWriter() = default;

void IndexWriter::add_document(std::string_view name, std::uint32_t length, float static_score) {
  State& state = *state_;
  if (state.counts.documents == kMaxDocuments) {
    throw InputError("an index holds at most 2147483647 documents; split the collection");
  }
  if (length > std::uint32_t{std::numeric_limits<std::int32_t>::max()}) {
    throw InputError("the document '" + std::string(name) +
                     "' has more than 2147483647 tokens; split it");
  }
  if (!std::isfinite(static_score) || static_score < 0) {
    throw UsageError("a static score must be finite and not negative");
  }
  state.name_offsets.append_value(state.names.size());
  state.names.append({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()});
  state.lengths.push_back(length);
  state.name_hashes.push_back(name_hash(name));
  state.length_section.append_value(length);
  state.counts.documents += 1;
  state.counts.tokens += length;
  if (!state.settings.has_static_scores) return;
  if (state.quantises) {
    state.unquantised_scores.push_back(static_score);
  } else {
    state.append_static_score(static_score);
  }
}

void IndexWriter::add_stored(std::string_view record) {
  state_->extras->add_stored(record, state_->counts.documents);
}

void IndexWriter::add_vector(std::span<const float> vector) {
  state_->extras->add_vector(vector, state_->counts.documents);
}

void IndexWriter::copy_vector(const vector::VectorView& from, std::size_t row) {
  state_->extras->copy_vector(from, row, state_->counts.documents);
}

void IndexWriter::set_threads(std::size_t threads) {
  state_->forward.set_threads(threads);
  state_->extras->set_threads(threads);
}

void IndexWriter::keep_impacts(double largest) {
  if (!state_->settings.impacts || state_->counts.documents > 0) {
    throw UsageError("only an index of impacts without documents yet can keep those of another");
  }
  state_->settings.impacts->largest = largest;
  state_->quantises = false;
}

void IndexWriter::State::append_static_score(float score) {
  static_scores.append_value(score);
  static_bound = std::max(static_bound, score);
  if (++static_count % kStaticWindow == 0) {
    static_bounds.append_value(std::exchange(static_bound, 0.0F));
  }
}

void IndexWriter::State::finish_impacts() {
  if (quantises) {
    const ImpactQuantizer quantizer(*settings.impacts, {counts.documents, counts.tokens});
    settings.impacts->largest = quantizer.largest();
    for (const float score : unquantised_scores) {
      append_static_score(quantizer.static_impact(score));
    }
  }
  if (static_count % kStaticWindow != 0) static_bounds.append_value(static_bound);
}

std::span<const std::uint32_t> IndexWriter::lengths() const { return state_->lengths; }

void IndexWriter::set_weights(const ImpactSettings& impacts) {
  State& state = *state_;
  if (state.lexicon.terms() > 0) throw UsageError("weights are set before the first list is added");
  if (!state.settings.impacts || state.settings.impacts->source == ImpactSource::kBm25 ||
      impacts.source == ImpactSource::kBm25) {
    throw UsageError("weights can be set only for an index whose impacts are weights");
  }
  check_impact_settings(impacts);
  state.settings.impacts = impacts;
}

void IndexWriter::add_list(std::string_view term, const EncodedPostings& postings) {
  State& state = *state_;
  const EncodedPostings::Data& data = postings.data();
  if (data.holds_impacts != state.settings.impacts.has_value()) {
    throw UsageError(
        "a list of impacts and one of frequencies do not go into one index; encode "
        "lists by the ListEncoder of the index's settings");
  }
  if (data.documents != state.counts.documents) {
    throw UsageError("a list was encoded for another number of documents than the index has");
  }
  if (state.settings.has_forward) state.add_to_forward(data);
  PostingsEntry entry;
  entry.document_frequency = data.document_frequency;
  entry.collection_frequency = data.collection_frequency;
  entry.single_document = data.single_document;
  entry.single_frequency = data.single_frequency;
  entry.short_offset = state.short_lists.size();
  entry.short_bytes = static_cast<std::uint32_t>(data.short_bytes.size());
  entry.docid_offset = state.docids.bytes.size();
  entry.frequency_offset = state.frequencies.bytes.size();
  entry.first_block = static_cast<std::uint32_t>(state.counts.blocks);
  entry.first_base = static_cast<std::uint32_t>(state.blocks_bases);
  entry.first_seed = static_cast<std::uint32_t>(state.seeds.size() / sizeof(ListSeed));
  if (!entry.is_short()) state.append_blocks(data, entry);
  state.lexicon.add(term, entry);
  state.short_lists.append(data.short_bytes);
  state.counts.postings += data.document_frequency;
}

void IndexWriter::State::add_to_forward(const EncodedPostings::Data& data) {
  const auto term = static_cast<std::uint32_t>(lexicon.terms());
  if (term == 0) forward.begin(counts.documents);
  if (data.document_frequency == 1) {
    forward.add_list(term, {&data.single_document, 1}, {&data.single_frequency, 1});
    return;
  }
  if (data.plain_docids.size() != data.document_frequency) {
    throw UsageError(
        "a list of an index with a forward index was not encoded by the ListEncoder of the index's "
        "settings; encode it by that");
  }
  forward.add_list(term, data.plain_docids, data.plain_frequencies);
}

void IndexWriter::State::append_blocks(const EncodedPostings::Data& data, PostingsEntry& entry) {
  if (std::max(data.docids.bytes.size(), data.frequencies.bytes.size()) >
      std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("a posting list takes more than 4 GiB; split the collection");
  }
  entry.docid_bytes = static_cast<std::uint32_t>(data.docids.bytes.size());
  entry.frequency_bytes = static_cast<std::uint32_t>(data.frequencies.bytes.size());
  entry.docid_tail_bytes = entry.docid_bytes - data.docids.offsets.back();
  entry.frequency_tail_bytes = entry.frequency_bytes - data.frequencies.offsets.back();
  entry.docid_parameter = data.docids.parameter;
  entry.frequency_parameter = data.frequencies.parameter;
  docids.add(data.docids);
  frequencies.add(data.frequencies);
  append_all(last_docids, data.last_docids);
  append_bounds(data.bounds, entry);
  const std::uint64_t blocks = data.last_docids.size();
  if (counts.blocks + blocks > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(
        "an index holds at most 4294967295 blocks of 128 postings; split the "
        "collection");
  }
  counts.blocks += blocks;
  blocks_bases += (blocks - 1) / kBlocksPerBase;
}

void IndexWriter::State::append_bounds(const ListBounds& list_bounds, PostingsEntry& entry) {
  append_all(bounds, list_bounds.blocks);
  append_all(range_bounds, list_bounds.ranges);
  append_all(seeds, list_bounds.seeds);
  if (seeds.size() / sizeof(ListSeed) > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("an index holds at most 1431655765 long lists; split the collection");
  }
  if (!list_bounds.ranges.empty()) entry.frequent_list = frequent_lists++;
}

void IndexWriter::set_forward_memory(std::uint64_t bytes) { state_->forward.set_memory(bytes); }

std::uint64_t IndexWriter::memory() const {
  constexpr std::uint64_t kBuffers = 25ULL << 18;
  return kBuffers +
         (state_->lengths.capacity() + state_->name_hashes.capacity()) * sizeof(std::uint32_t) +
         state_->unquantised_scores.capacity() * sizeof(float) + state_->forward.memory() +
         state_->extras->memory();
}

const std::filesystem::path& IndexWriter::scratch_folder() const {
  return state_->folder.scratch();
}

void IndexWriter::commit(const std::function<void()>& check) {
  State& state = *state_;
  if (!state.own_folder) throw UsageError("a segment of a commit ends with finish_segment()");
  SegmentInfo segment = finish_segment(check);
  const Manifest manifest{state.settings, {0, 1, {std::move(segment)}}};
  state.own_folder->commit(manifest_to_json(manifest), check);
}

SegmentInfo IndexWriter::finish_segment(const std::function<void()>& check) {
  State& state = *state_;
  state.name_offsets.append_value(state.names.size());
  state.finish_impacts();
  append_all(state.name_order, order_by_hash(state.name_hashes));
  if (state.settings.has_forward) {
    if (state.lexicon.terms() == 0) state.forward.begin(state.counts.documents);
    state.forward.finish(*state.forward_offsets, *state.forward_bytes);
  }
  state.extras->finish(state.counts.documents);
  state.counts.terms = state.lexicon.terms();
  state.counts.term_text_bytes = state.lexicon.text_bytes();
  SegmentInfo segment = state.files.finish(check);
  segment.counts = named_counts(state.counts);
  return segment;
}

}  // namespace warpdex
