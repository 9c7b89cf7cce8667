#include "tests/fuzz/index_copies.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <random>

#include "tests/fuzz/codec_choice.hpp"
#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/core/checksum.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"

namespace warpdex::fuzz {
namespace {

static_assert(kIndexes == kCodecs.size());

/// Bytes of a section's file before its bytes, and after them (slack and footer): docs/format.md.
constexpr std::size_t kHead = 64;
constexpr std::size_t kTail = 96;

struct List {
  std::vector<std::uint32_t> docids;
  std::vector<std::uint32_t> frequencies;
};

/// Lists by term, and the documents' lengths.
struct Collection {
  std::map<std::string, List> lists;
  std::vector<std::uint32_t> lengths;

  void add(const std::string& term, std::uint32_t frequency) {
    List& list = lists[term];
    const auto document = static_cast<std::uint32_t>(lengths.size()) - 1;
    if (!list.docids.empty() && list.docids.back() == document) return;
    list.docids.push_back(document);
    list.frequencies.push_back(frequency);
    lengths.back() += frequency;
  }
};

/// Lists of one posting, short ones, long ones and dense ones, with a large frequency at times. One
/// document in `one_in` has terms. The generator's numbers are the same everywhere, those of
/// distributions are not.
Collection make_collection(std::uint32_t documents, std::uint32_t one_in) {
  Collection collection;
  std::minstd_rand random(documents);
  const auto draw = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  const std::string long_term(40, 'x');
  for (std::uint32_t document = 0; document < documents; ++document) {
    collection.lengths.push_back(0);
    if (draw(one_in) != 0) continue;
    if (draw(20) != 0) collection.add("everywhere", draw(3) == 0 ? 2 : 1);
    if (draw(3) == 0) collection.add("often", draw(50) == 0 ? 5000 : 1 + draw(4));
    if (document / 100 % 3 == 0) collection.add("clustered", 1);
    if (draw(60) == 0) collection.add(long_term, 1);
    if (document % 200 == 0) collection.add("once" + std::to_string(document), 1 + draw(9));
    collection.add("w" + std::to_string(draw(1 + draw(80))), 1 + draw(3));
  }
  return collection;
}

IndexSettings settings_of(std::size_t number) {
  IndexSettings settings;
  settings.codec = kCodecs[number];
  settings.codec.bit_sets = number != 6;
  settings.analyzer = "whitespace";
  settings.fields = "contents";
  settings.has_static_scores = number % 2 == 1;
  if (number % 3 == 2) settings.impacts.emplace();
  if (number % 4 == 3) {
    settings.stored_fields = {"title", "note"};
    settings.vectors = vector::RowSettings{vector::Metric::kL2, vector::Store::kHalf, 3};
    settings.schema = parse_schema(R"({"fields": {"named": {"type": "vector", "dimension": 2}}})");
  }
  return settings;
}

void write_index(const std::filesystem::path& folder, std::size_t number) {
  // One of them has two ranges of documents, and a list of more than 32 blocks.
  const Collection collection = number == 0 ? make_collection(17'000, 3) : make_collection(700, 1);
  const IndexSettings settings = settings_of(number);
  IndexWriter writer(folder, settings);
  for (std::size_t i = 0; i < collection.lengths.size(); ++i) {
    writer.add_document("d" + std::to_string(i), collection.lengths[i],
                        static_cast<float>(i % 7) / 4.0F);
    if (!settings.vectors) continue;
    writer.add_stored(encode_stored({"document " + std::to_string(i), std::nullopt}));
    writer.add_vector(std::vector<float>{static_cast<float>(i % 50), 1, static_cast<float>(i % 3)});
    writer.add_vector(std::vector<float>{static_cast<float>(i % 11), 1}, 1);
  }
  const ListEncoder encoder(settings, writer.lengths());
  for (const auto& [term, list] : collection.lists) {
    writer.add_list(term, encoder.encode(list.docids, list.frequencies));
  }
  writer.commit();
}

}  // namespace

IndexCopy::IndexCopy(const std::filesystem::path& folder, std::size_t number) : folder_(folder) {
  write_index(folder, number);
  const std::string manifest = read_file(folder / kManifestName);
  undamaged_ = manifest_ = manifest_from_json(manifest);
  const SegmentInfo& segment = manifest_.stored.segments.at(0);
  for (const SectionInfo& section : segment.sections) {
    const std::filesystem::path path = folder / segment.place / section.name;
    files_.push_back({path, read_file(path)});
  }
  files_.push_back({folder / kManifestName, manifest});
}

std::string_view IndexCopy::section(std::size_t file) const {
  return std::string_view(bytes(file)).substr(kHead, bytes(file).size() - kHead - kTail);
}

void IndexCopy::write(std::size_t file, std::string_view bytes) {
  files_[file].is_changed = true;
  write_file(files_[file].path, bytes);
}

void IndexCopy::write_section(std::size_t file, std::string_view bytes) {
  const std::filesystem::path& path = files_[file].path;
  files_[file].is_changed = true;
  SectionWriter writer(path.parent_path(), path.filename().string());
  writer.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  manifest_.stored.segments[0].sections[file] = writer.finish();
}

void IndexCopy::restore() {
  for (File& file : files_) {
    if (file.is_changed) write_file(file.path, file.bytes);
    file.is_changed = false;
  }
  manifest_ = undamaged_;
}

std::string with_checksum(std::string manifest) {
  constexpr std::string_view kKey = "\"checksum\": \"";
  const std::size_t key = manifest.rfind(kKey);
  const std::size_t comma = manifest.rfind(',', key);
  constexpr std::size_t kDigits = 16;
  if (key == manifest.npos || comma == manifest.npos) return manifest;
  if (manifest.size() - key - kKey.size() < kDigits) return manifest;
  const auto* text = reinterpret_cast<const std::uint8_t*>(manifest.data());
  std::array<char, kDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(checksum({text, comma})));
  return manifest.replace(key + kKey.size(), kDigits, digits.data(), kDigits);
}

}  // namespace warpdex::fuzz
