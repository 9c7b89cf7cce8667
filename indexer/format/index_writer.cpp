// Writes the sections of a segment, and the manifest of an index that has no other.
#include "warpdex/indexer/format/index_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/index_writer_state.hpp"
#include "format/manifest.hpp"
#include "format/name_order.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex {

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
  add_document(name, std::span(&length, 1), static_score);
}

void IndexWriter::add_document(std::string_view name, std::span<const std::uint32_t> lengths,
                               float static_score) {
  State& state = *state_;
  if (state.counts.documents == kMaxDocuments) {
    throw InputError("an index holds at most 2147483647 documents; split the collection");
  }
  if (std::ranges::max(lengths) > std::uint32_t{std::numeric_limits<std::int32_t>::max()}) {
    throw InputError("the document '" + std::string(name) +
                     "' has more than 2147483647 tokens; split it");
  }
  if (!std::isfinite(static_score) || static_score < 0) {
    throw UsageError("a static score must be finite and not negative");
  }
  state.name_offsets.append_value(state.names.size());
  state.names.append({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()});
  state.name_hashes.push_back(name_hash(name));
  state.add_lengths(lengths);
  state.counts.documents += 1;
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

void IndexWriter::add_values(const FieldValues& values) {
  state_->extras->add_values(values, state_->counts.documents);
}

void IndexWriter::add_vector(std::span<const float> vector, std::size_t set) {
  state_->extras->add_vector(vector, set, state_->counts.documents);
}

void IndexWriter::copy_vector(const vector::VectorView& from, std::size_t row, std::size_t set) {
  state_->extras->copy_vector(from, row, set, state_->counts.documents);
}

void IndexWriter::set_threads(std::size_t threads) {
  state_->threads = threads;
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

std::span<const std::uint32_t> IndexWriter::lengths() const { return state_->lengths; }

std::vector<std::span<const std::uint32_t>> IndexWriter::all_lengths() const {
  std::vector<std::span<const std::uint32_t>> all{state_->lengths};
  for (const auto& text : state_->more_texts) all.emplace_back(text.lengths);
  return all;
}

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
  if (data.has_positions != state.positioned.has_term(term)) {
    throw UsageError(
        "a list has positions and the index's other lists of that text have none, or the other way "
        "round; encode lists by the ListEncoder of the index's settings");
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
  if (state.settings.has_positions) state.append_positions(data, entry);
  state.lexicon.add(term, entry);
  state.short_lists.append(data.short_bytes);
  state.counts.postings += data.document_frequency;
}

void IndexWriter::set_forward_memory(std::uint64_t bytes) { state_->forward.set_memory(bytes); }

std::uint64_t IndexWriter::memory() const {
  constexpr std::uint64_t kBuffer = 1ULL << 18;
  const std::uint64_t buffers = (state_->settings.has_positions ? 31 : 25) * kBuffer;
  return buffers +
         (state_->lengths.capacity() * state_->texts() + state_->name_hashes.capacity()) *
             sizeof(std::uint32_t) +
         state_->unquantised_scores.capacity() * sizeof(float) + state_->forward.memory() +
         state_->extras->memory();
}

const std::filesystem::path& IndexWriter::scratch_folder() const {
  return state_->folder.scratch();
}

std::vector<std::string> IndexWriter::commit(const std::function<void()>& check) {
  State& state = *state_;
  if (!state.own_folder) throw UsageError("a segment of a commit ends with finish_segment()");
  SegmentInfo segment = finish_segment(check);
  const Manifest manifest{state.settings, {0, 1, {std::move(segment)}}};
  return state.own_folder->commit(manifest_to_json(manifest), check);
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
  std::vector<VectorSet> indexed = vector_sets(state.settings);
  std::erase_if(indexed, [&](const VectorSet& set) {
    return !vector::is_indexed(set.rows, state.counts.documents);
  });
  if (!indexed.empty()) state.files.open_files();
  SegmentInfo segment = state.files.finish(check);
  for (const VectorSet& set : indexed) {
    vector::write_row_index({state.folder.path() / segment.place, set.prefix}, set.rows,
                            state.counts.documents, state.threads, segment.sections,
                            [&](const char*, std::uint64_t, std::uint64_t) {
                              if (check) check();
                            });
  }
  segment.counts = named_counts(state.counts);
  return segment;
}

}  // namespace warpdex
