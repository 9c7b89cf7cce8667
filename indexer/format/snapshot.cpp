// Opens all segments of an index and numbers their documents through.
#include "warpdex/indexer/format/snapshot.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "format/segment_opener.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/same_sections.hpp"
#include "warpdex/indexer/format/section_names.hpp"

namespace warpdex {

struct Snapshot::State {
  std::filesystem::path folder;
  IndexSettings settings;
  std::uint64_t commit = 0;
  std::vector<Segment> segments;
  std::uint32_t docid_begin = 0;
  std::uint64_t documents = 0;  ///< removed ones too
  std::uint64_t tokens = 0;     ///< likewise
  std::uint64_t removed_documents = 0;
  std::uint64_t removed_tokens = 0;

  std::vector<TextCounts> texts{};  ///< by text field, where there are several: without removed
                                    ///< ones where there is a forward index

  void add(std::shared_ptr<const Index> index);
  void add_texts(const Index& index);
  void add_parts();
};

void Snapshot::State::add_texts(const Index& index) {
  const std::vector<TextCounts>& counts = index.counts().texts;
  texts.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const TextCounts removed = settings.has_forward ? index.removed_text(i) : TextCounts{};
    if (removed.documents > counts[i].documents || removed.tokens > counts[i].tokens) {
      throw FormatError("the index '" + folder.string() +
                        "' is damaged (its counts of text fields); restore it or build it again");
    }
    texts[i].documents += counts[i].documents - removed.documents;
    texts[i].tokens += counts[i].tokens - removed.tokens;
  }
}

void Snapshot::State::add(std::shared_ptr<const Index> index) {
  const auto first = static_cast<std::uint32_t>(docid_begin + documents);
  documents += index->counts().documents;
  tokens += index->counts().tokens;
  removed_documents += index->removed_documents();
  removed_tokens += index->removed_tokens();
  if (documents > kMaxDocuments || removed_documents > documents || removed_tokens > tokens) {
    throw FormatError("the index '" + folder.string() +
                      "' is damaged (its counts of documents); restore it or build it again");
  }
  add_texts(*index);
  segments.push_back({std::move(index), first});
}

Snapshot::Snapshot(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::filesystem::path part_folder(const std::filesystem::path& parts, std::uint32_t part) {
  return parts / ("part-" + std::to_string(part));
}

bool holds_parts(const std::filesystem::path& folder) {
  std::error_code ignored;
  return !std::filesystem::exists(folder / kManifestName, ignored) &&
         std::filesystem::exists(part_folder(folder, 0) / kManifestName, ignored);
}

/// Adds the segments of part after part, until there is none.
void Snapshot::State::add_parts() {
  std::string first_settings;
  for (std::uint32_t i = 0; i == 0 || std::filesystem::exists(part_folder(folder, i)); ++i) {
    const Snapshot part = Snapshot::open(part_folder(folder, i));
    const std::string own = manifest_to_json({part.settings(), {}});
    if (i == 0) {
      settings = part.settings();
      first_settings = own;
    } else if (own != first_settings) {
      throw UsageError("'" + part_folder(folder, i).string() +
                       "' was not made as the parts before it; split one index, or build all of "
                       "them alike");
    }
    commit += part.commit();
    for (const Segment& segment : part.segments()) add(segment.index);
  }
}

Snapshot Snapshot::open(const std::filesystem::path& folder) {
  if (holds_parts(folder)) {
    auto state = std::make_shared<State>();
    state->folder = folder;
    state->add_parts();
    return Snapshot(std::move(state));
  }
  return open_stored(folder, [&](const Folder& opened) {
    const Manifest manifest = SegmentOpener::read_manifest(opened);
    auto state = std::make_shared<State>();
    state->folder = folder;
    state->settings = manifest.settings;
    state->commit = manifest.stored.commit;
    for (const SegmentInfo& segment : manifest.stored.segments) {
      state->add(std::make_shared<const Index>(
          SegmentOpener::open(folder, opened, manifest.settings, segment)));
    }
    return Snapshot(std::move(state));
  });
}

Snapshot Snapshot::part(std::size_t first, std::size_t count) const {
  auto state = std::make_shared<State>();
  state->folder = state_->folder;
  state->settings = state_->settings;
  state->commit = state_->commit;
  state->docid_begin = first < segments().size() ? segments()[first].first_document : docid_end();
  for (std::size_t i = first; i < first + count; ++i) state->add(segments().at(i).index);
  return Snapshot(std::move(state));
}

const IndexSettings& Snapshot::settings() const { return state_->settings; }
const std::filesystem::path& Snapshot::folder() const { return state_->folder; }
std::uint64_t Snapshot::commit() const { return state_->commit; }
const std::vector<Snapshot::Segment>& Snapshot::segments() const { return state_->segments; }

bool Snapshot::is_plain() const {
  return state_->segments.size() == 1 && state_->segments[0].index->removed().none();
}

void Snapshot::require_plain() const {
  require_one_segment(folder(), segments().size(), removed_documents() > 0);
}

std::uint64_t Snapshot::documents() const { return state_->documents - state_->removed_documents; }
std::uint64_t Snapshot::removed_documents() const { return state_->removed_documents; }
std::uint32_t Snapshot::docid_begin() const { return state_->docid_begin; }
std::uint32_t Snapshot::docid_end() const {
  return static_cast<std::uint32_t>(state_->docid_begin + state_->documents);
}

CollectionStatistics Snapshot::statistics() const {
  if (!state_->settings.has_forward) return {state_->documents, state_->tokens};
  return {documents(), state_->tokens - state_->removed_tokens};
}

std::vector<CollectionStatistics> Snapshot::text_statistics() const {
  std::vector<CollectionStatistics> statistics;
  for (const TextCounts& text : state_->texts) {
    statistics.push_back({text.documents, text.tokens});
  }
  return statistics;
}

std::size_t Snapshot::segment_of(std::uint32_t document) const {
  const auto segment =
      std::find_if(state_->segments.rbegin(), state_->segments.rend(),
                   [&](const Segment& candidate) { return candidate.first_document <= document; });
  if (document >= docid_end() || segment == state_->segments.rend()) {
    throw UsageError("there is no document " + std::to_string(document) + " in an index of " +
                     std::to_string(docid_end()));
  }
  return static_cast<std::size_t>(state_->segments.rend() - segment) - 1;
}

std::string_view Snapshot::document_name(std::uint32_t document) const {
  const Segment& segment = state_->segments[segment_of(document)];
  return segment.index->document_name(document - segment.first_document);
}

std::optional<std::uint32_t> Snapshot::find_document(std::string_view name) const {
  // A document that was updated is in a later segment, too.
  for (auto segment = state_->segments.rbegin(); segment != state_->segments.rend(); ++segment) {
    const std::optional<std::uint32_t> found = segment->index->find_document(name);
    if (found && !segment->index->removed().contains(*found)) {
      return segment->first_document + *found;
    }
  }
  return std::nullopt;
}

bool is_of_removals(std::string_view name) {
  return name == kRemovedRows || name == section::kFrequencyChanges;
}

bool are_same_segment(const Index& one, const Index& other) {
  const auto written_sections = [](const Index& index) {
    std::vector<SectionInfo> sections = index.section_infos();
    std::erase_if(sections, [](const SectionInfo& info) { return is_of_removals(info.name); });
    return sections;
  };
  return one.segment_number() == other.segment_number() &&
         are_same_sections(written_sections(one), written_sections(other));
}

}  // namespace warpdex
