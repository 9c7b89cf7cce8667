// Opens an index: reads its manifest, maps its sections, and checks that they fit together.
#include "warpdex/indexer/format/index.hpp"

#include <algorithm>

#include "format/lexicon.hpp"
#include "format/manifest.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/indexer/format/section_names.hpp"

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

IndexSections make_sections(const std::vector<SectionView>& views, const Manifest& manifest) {
  const IndexCounts& counts = manifest.counts;
  const std::uint64_t statics = manifest.settings.has_static_scores ? counts.documents : 0;
  auto next = views.begin();
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
  return sections;
}

Manifest read_manifest(const Folder& opened) {
  const MappedFile file = map_manifest(opened);
  Manifest manifest =
      manifest_from_json({reinterpret_cast<const char*>(file.bytes().data()), file.size()});
  if (manifest.counts.documents > kMaxDocuments) damaged(opened.path(), "too many documents");
  if (manifest.segments.size() != 1) damaged(opened.path(), "not one segment");
  const std::vector<SectionInfo>& sections = manifest.segments[0].sections;
  if (!std::equal(
          sections.begin(), sections.end(), section::kAll.begin(), section::kAll.end(),
          [](const SectionInfo& info, std::string_view name) { return info.name == name; })) {
    damaged(opened.path(), "other sections than this version's");
  }
  return manifest;
}

}  // namespace

struct Index::State {
  State(const std::filesystem::path& path, const Folder& opened);

  LexiconView lexicon() const {
    return {sections, manifest.counts.documents, manifest.settings.codec.kind == CodecKind::kPfor};
  }

  std::filesystem::path folder;
  Manifest manifest;
  SegmentView segment;
  IndexSections sections;
};

Index::State::State(const std::filesystem::path& path, const Folder& opened)
    : folder(path),
      manifest(read_manifest(opened)),
      segment(opened, manifest.segments[0]),
      sections(make_sections(segment.sections(), manifest)) {}

Index::Index(std::unique_ptr<State> state) : state_(std::move(state)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Index Index::open(const std::filesystem::path& folder) {
  return open_stored(
      folder, [&](const Folder& opened) { return Index(std::make_unique<State>(folder, opened)); });
}

const IndexSettings& Index::settings() const { return state_->manifest.settings; }
const IndexCounts& Index::counts() const { return state_->manifest.counts; }
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

std::optional<PostingsEntry> Index::find(std::string_view term) const {
  return state_->lexicon().find(term);
}

void Index::for_each_term(
    const std::function<void(std::string_view, const PostingsEntry&)>& visit) const {
  state_->lexicon().for_each(visit);
}

void Index::for_each_term_of_group(
    std::uint64_t group,
    const std::function<void(std::string_view, const PostingsEntry&)>& visit) const {
  state_->lexicon().for_each_of_group(group, visit);
}

const std::vector<SectionInfo>& Index::section_infos() const { return state_->segment.infos(); }

bool Index::section_intact(std::size_t section) const {
  return state_->segment.sections()[section].intact();
}

}  // namespace warpdex
