// Opens an index: reads its manifest, maps its sections, and checks that they fit together.
#include "warpdex/indexer/format/index.hpp"

#include <algorithm>

#include "format/forward_writer.hpp"
#include "format/group_keys.hpp"
#include "format/lexicon.hpp"
#include "format/manifest.hpp"
#include "format/name_order.hpp"
#include "format/positions.hpp"
#include "format/segment_opener.hpp"
#include "format/varint.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/indexer/format/section_names.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/vector/format/row_index.hpp"
#include "warpdex/vector/format/row_sections.hpp"

namespace warpdex {
namespace {

static_assert(kSectionSlack >= kReadSlack, "decoders read past the end of a section");

[[noreturn]] void damaged(const std::filesystem::path& folder, const std::string& what) {
  throw FormatError("the index '" + folder.string() + "' is damaged (" + what +
                    "); restore it or build it again");
}

std::uint64_t ceil_divide(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

template <class T>
std::span<const T> whole(const SectionView& view) {
  return view.as<T>(view.bytes().size() / sizeof(T));
}

IndexSections make_sections(const SegmentView& segment, const IndexCounts& counts,
                            const IndexSettings& settings) {
  const std::uint64_t statics = settings.has_static_scores ? counts.documents : 0;
  auto next = segment.sections().begin();
  IndexSections sections;
  sections.lexicon = (next++)->bytes();
  sections.lexicon_index = (next++)->as<std::uint64_t>(ceil_divide(counts.terms, kLexiconGroup));
  sections.short_lists = (next++)->bytes();
  sections.block_last_docids = (next++)->as<std::uint32_t>(counts.blocks);
  sections.docid_bases = whole<std::uint32_t>(*next++);
  sections.docid_offsets = (next++)->as<std::uint16_t>(counts.blocks);
  sections.docid_codes = (next++)->as<std::uint8_t>(counts.blocks);
  sections.docids = (next++)->bytes();
  sections.frequency_bases = (next++)->as<std::uint32_t>(sections.docid_bases.size());
  sections.frequency_offsets = (next++)->as<std::uint16_t>(counts.blocks);
  sections.frequency_codes = (next++)->as<std::uint8_t>(counts.blocks);
  sections.frequencies = (next++)->bytes();
  sections.block_bounds = (next++)->as<ScoreBound>(counts.blocks);
  sections.range_bounds = whole<ScoreBound>(*next++);
  sections.seeds = whole<ListSeed>(*next++);
  sections.document_lengths = (next++)->as<std::uint32_t>(counts.documents);
  sections.document_name_offsets = (next++)->as<std::uint64_t>(counts.documents + 1);
  sections.document_names = (next++)->bytes();
  sections.static_scores = (next++)->as<float>(statics);
  sections.static_bounds = (next++)->as<float>(ceil_divide(statics, kStaticWindow));
  if (segment.has_section(section::kDocumentNameOrder)) {
    sections.document_name_order =
        segment.section(section::kDocumentNameOrder).as<std::uint32_t>(counts.documents);
  }
  if (settings.has_forward) {
    sections.forward_offsets = segment.section(section::kForwardOffsets)
                                   .as<std::uint64_t>(ceil_divide(counts.documents, kForwardGroup));
    sections.forward = segment.section(section::kForward).bytes();
  }
  if (settings.has_positions) open_positions(segment, counts, settings, sections);
  if (!settings.stored_fields.empty()) {
    sections.stored_dictionary = segment.section(section::kStoredDictionary).bytes();
    sections.stored_block_numbers =
        segment.section(section::kStoredBlockNumbers).as<std::uint32_t>(counts.documents);
    sections.stored_block_table = whole<StoredBlock>(segment.section(section::kStoredBlockTable));
    sections.stored_blocks = segment.section(section::kStoredBlocks).bytes();
  }
  return sections;
}

/// Checks that the first sections are those of every segment, since they are found by their places.
void check_section_names(const Folder& opened, const SegmentInfo& segment) {
  const std::vector<SectionInfo>& sections = segment.sections;
  if (sections.size() < section::kAll.size() ||
      !std::equal(
          section::kAll.begin(), section::kAll.end(), sections.begin(),
          [](std::string_view name, const SectionInfo& info) { return info.name == name; })) {
    damaged(opened.path(), "other sections than this version's");
  }
}

/// A set of vectors.
struct OpenedVectors {
  OpenedVectors(const SegmentView& segment, const VectorSet& set, std::uint64_t documents)
      : sections(std::make_unique<const SegmentView>(segment.part(set.prefix))),
        rows(vector::open_row_sections(*sections, set.rows, documents)) {
    if (set.rows.index.is_flat() || !vector::RowIndex::is_in(*sections)) return;
    index.emplace(*sections, set.rows, rows);
  }

  std::unique_ptr<const SegmentView> sections;  ///< which `index` refers to
  vector::FlatVectors rows;
  std::optional<vector::RowIndex> index;
};

}  // namespace

struct Index::State {
  State(const std::filesystem::path& path, const Folder& opened,
        const IndexSettings& index_settings, const SegmentInfo& info);

  LexiconView lexicon() const {
    return {sections, counts.documents, settings.codec, positioned, group_keys};
  }
  /// The entry of a term, with its field.
  PostingsEntry with_field(std::string_view term, const PostingsEntry& entry) const {
    PostingsEntry own = entry;
    const std::size_t field = field_of_term(term);
    if (field > more_lengths.size()) damaged(folder, "a term of an unknown text field");
    own.field = static_cast<std::uint8_t>(field);
    return own;
  }
  std::uint64_t removed_count(std::string_view name) const {
    return info.removals ? count_named(info.removals->counts, name) : 0;
  }

  std::filesystem::path folder;
  IndexSettings settings;
  PositionedTexts positioned;
  IndexCounts counts;
  SegmentInfo info;
  SegmentView segment;
  IndexSections sections;
  mutable GroupKeys group_keys;                              ///< grows with the searches
  std::vector<std::span<const std::uint32_t>> more_lengths;  ///< of text fields behind the first
  std::vector<TextCounts> removed_texts;
  RemovedRows removed;
  std::span<const FrequencyChange> changes;
  std::vector<ColumnView> columns;
  std::vector<OpenedVectors> vectors;  ///< by set
};

Index::State::State(const std::filesystem::path& path, const Folder& opened,
                    const IndexSettings& index_settings, const SegmentInfo& segment_info)
    : folder(path),
      settings(index_settings),
      positioned(index_settings),
      counts(counts_of(segment_info)),
      info(segment_info),
      segment(opened, info),
      sections(make_sections(segment, counts, settings)),
      group_keys(sections.lexicon_index.size()),
      removed(segment.removed_rows(counts.documents)) {
  for (std::size_t field = 1; field < text_count(settings.schema); ++field) {
    more_lengths.push_back(
        segment.section(section::lengths_of_text(field)).as<std::uint32_t>(counts.documents));
  }
  if (info.removals) removed_texts = texts_of(info.removals->counts);
  if (settings.has_forward && info.removals) {
    changes = whole<FrequencyChange>(segment.removals_section(section::kFrequencyChanges));
  }
  for (const Field& field : columns_of(settings.schema)) {
    const SectionView& section = segment.section(column_name(columns.size()));
    columns.emplace_back(field, section.bytes(), counts.documents);
  }
  for (const VectorSet& set : vector_sets(settings)) {
    vectors.emplace_back(segment, set, counts.documents);
  }
}

Index SegmentOpener::open(const std::filesystem::path& path, const Folder& opened,
                          const IndexSettings& settings, const SegmentInfo& segment) {
  check_section_names(opened, segment);
  const std::uint64_t documents = counts_of(segment).documents;
  if (documents > kMaxDocuments) damaged(opened.path(), "too many documents");
  if (segment.removals && count_named(segment.removals->counts, "documents") > documents) {
    damaged(opened.path(), "more removed documents than there are");
  }
  return Index(std::make_unique<Index::State>(path, opened, settings, segment));
}

const SegmentInfo& SegmentOpener::info(const Index& index) { return index.state_->info; }

Manifest SegmentOpener::read_manifest(const Folder& opened) {
  return manifest_from_json(manifest_text(opened));
}

std::string SegmentOpener::manifest_text(const Folder& opened) {
  const MappedFile file = map_manifest(opened);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

void require_one_segment(const std::filesystem::path& folder, std::size_t segments,
                         bool has_removed) {
  if (segments == 0) {
    throw UsageError("the index '" + folder.string() +
                     "' has no documents any more; add some first");
  }
  if (segments == 1 && !has_removed) return;
  throw UsageError("the index '" + folder.string() +
                   "' has been changed by add or delete, and this needs it in one piece; run "
                   "'warpdex merge " +
                   folder.string() + " --all' first");
}

Index Index::open(const std::filesystem::path& folder) {
  return open_stored(folder, [&](const Folder& opened) {
    const Manifest manifest = SegmentOpener::read_manifest(opened);
    const std::vector<SegmentInfo>& segments = manifest.stored.segments;
    require_one_segment(folder, segments.size(), segments.size() == 1 && segments[0].removals);
    return SegmentOpener::open(folder, opened, manifest.settings, segments[0]);
  });
}

const IndexSettings& Index::settings() const { return state_->settings; }
const IndexCounts& Index::counts() const { return state_->counts; }
const std::filesystem::path& Index::folder() const { return state_->folder; }
const IndexSections& Index::sections() const { return state_->sections; }

std::string_view Index::document_name(std::uint32_t document) const {
  const IndexSections& sections = state_->sections;
  if (document >= counts().documents) {
    throw UsageError("there is no document " + std::to_string(document) + " in an index of " +
                     std::to_string(counts().documents));
  }
  const std::uint64_t begin = sections.document_name_offsets[document];
  const std::uint64_t end = sections.document_name_offsets[document + 1];
  if (begin > end || end > sections.document_names.size()) {
    damaged(state_->folder, "the table of document names");
  }
  return {reinterpret_cast<const char*>(sections.document_names.data()) + begin, end - begin};
}

std::optional<std::uint32_t> Index::find_document(std::string_view name) const {
  const auto order = sections().document_name_order;
  if (order.empty()) {  // of version 2, or without documents
    for (std::uint64_t i = 0; i < counts().documents; ++i) {
      const auto document = static_cast<std::uint32_t>(i);
      if (document_name(document) == name) return document;
    }
    return std::nullopt;
  }
  const std::uint32_t hash = name_hash(name);
  const auto name_at = [&](std::uint32_t document) {
    if (document >= counts().documents) damaged(state_->folder, "the order of names");
    return document_name(document);
  };
  auto place = std::lower_bound(
      order.begin(), order.end(), hash,
      [&](std::uint32_t document, auto wanted) { return name_hash(name_at(document)) < wanted; });
  for (; place != order.end(); ++place) {
    const std::string_view found = name_at(*place);
    if (found == name) return *place;
    if (name_hash(found) != hash) break;
  }
  return std::nullopt;
}

std::uint64_t Index::segment_number() const { return state_->info.number; }
RemovedRows Index::removed() const { return state_->removed; }
std::uint64_t Index::removed_documents() const { return state_->removed_count("documents"); }
std::uint64_t Index::removed_tokens() const { return state_->removed_count("tokens"); }
std::span<const ColumnView> Index::columns() const { return state_->columns; }
FieldValues Index::field_values(std::uint32_t document) const {
  FieldValues values;
  for (const ColumnView& column : columns()) values.push_back(column.values(document));
  return values;
}

TextCounts Index::removed_text(std::size_t field) const {
  return field < state_->removed_texts.size() ? state_->removed_texts[field] : TextCounts{};
}

std::size_t Index::texts() const { return 1 + state_->more_lengths.size(); }

std::span<const std::uint32_t> Index::lengths(std::size_t field) const {
  return field == 0 ? lengths() : state_->more_lengths[field - 1];
}

std::uint64_t Index::length_of(std::uint32_t document) const {
  std::uint64_t length = lengths()[document];
  for (const auto& lengths : state_->more_lengths) length += lengths[document];
  return length;
}

const vector::FlatVectors& Index::vectors(std::size_t set) const {
  static const vector::FlatVectors none;
  return set < state_->vectors.size() ? state_->vectors[set].rows : none;
}

const vector::RowIndex* Index::vector_index(std::size_t set) const {
  if (set >= state_->vectors.size() || !state_->vectors[set].index) return nullptr;
  return &*state_->vectors[set].index;
}
std::span<const FrequencyChange> Index::frequency_changes() const { return state_->changes; }

FrequencyChange Index::frequency_change(std::uint32_t term_number) const {
  const auto place = std::ranges::lower_bound(state_->changes, term_number, std::ranges::less(),
                                              &FrequencyChange::term_number);
  const bool is_there = place != state_->changes.end() && place->term_number == term_number;
  return is_there ? *place : FrequencyChange{.term_number = term_number};
}

void Index::for_each_term_of_document(
    std::uint32_t document, const std::function<void(std::uint32_t, std::uint32_t)>& visit) const {
  const IndexSections& sections = state_->sections;
  const std::uint32_t group = document / kForwardGroup;
  if (group >= sections.forward_offsets.size()) {
    throw UsageError("the index '" + state_->folder.string() +
                     "' has no forward index of document " + std::to_string(document));
  }
  const auto check = [&](bool holds) {
    if (!holds) damaged(state_->folder, "the forward index");
  };
  check(sections.forward_offsets[group] <= sections.forward.size());
  const std::uint8_t* const begin = sections.forward.data() + sections.forward_offsets[group];
  ByteCursor records{begin, sections.forward.data() + sections.forward.size()};
  for (std::uint32_t i = 0; i < document % kForwardGroup; ++i) records.take(records.varint());
  const std::uint64_t bytes = records.varint();
  const std::uint8_t* const record = records.take(bytes);
  std::uint64_t term = 0;
  bool is_first = true;
  for (ByteCursor next{record, record + bytes}; next.left() > 0; is_first = false) {
    const std::uint64_t code = next.varint();
    const std::uint64_t frequency = (code & 1) != 0 ? 1 : next.varint();
    check(is_first || code > 1);  // terms ascend
    term += code >> 1;
    check(term < counts().terms && frequency >= 1 && frequency <= UINT32_MAX);
    visit(static_cast<std::uint32_t>(term), static_cast<std::uint32_t>(frequency));
  }
}

std::optional<PostingsEntry> Index::find(std::string_view term) const {
  std::optional<PostingsEntry> entry = state_->lexicon().find(term);
  if (entry && texts() > 1) entry = state_->with_field(term, *entry);
  return entry;
}

void Index::for_each_term(
    const std::function<void(std::string_view, const PostingsEntry&)>& visit) const {
  for (std::uint64_t group = 0; group < term_groups(); ++group) {
    for_each_term_of_group(group, visit);
  }
}

std::uint64_t Index::term_group_of(std::string_view term, std::uint64_t from) const {
  return state_->lexicon().group_of(term, from);
}

void Index::for_each_term_of_group(
    std::uint64_t group,
    const std::function<void(std::string_view, const PostingsEntry&)>& visit) const {
  if (texts() == 1) return state_->lexicon().for_each_of_group(group, visit);
  state_->lexicon().for_each_of_group(group,
                                      [&](std::string_view term, const PostingsEntry& entry) {
                                        visit(term, state_->with_field(term, entry));
                                      });
}

void Index::pass_terms_of_group(std::uint64_t group,
                                const std::function<std::size_t(std::string_view)>& visit) const {
  state_->lexicon().pass_group(group, visit);
}

const std::vector<SectionInfo>& Index::section_infos() const { return state_->segment.infos(); }

bool Index::section_intact(std::size_t section) const {
  return state_->segment.sections()[section].intact();
}

}  // namespace warpdex
