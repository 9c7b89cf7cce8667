// Objects out of files, checked, and the choice of a space for them.
#include "warpdex/vector/metric/objects.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "data/data_file.hpp"
#include "data/file_format.hpp"
#include "metric/spaces.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/text_lines.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {
namespace {

struct Name {
  DistanceKind kind;
  std::string_view name;
};
constexpr std::array<Name, 6> kNames{{{DistanceKind::kLevenshtein, "levenshtein"},
                                      {DistanceKind::kHamming, "hamming"},
                                      {DistanceKind::kJaccard, "jaccard"},
                                      {DistanceKind::kL1, "l1"},
                                      {DistanceKind::kL2, "l2"},
                                      {DistanceKind::kAngular, "angular"}}};

void check_object_count(std::size_t objects, const std::string& name) {
  if (objects == 0) throw InputError(name + " has no objects; give one or more");
  if (objects > kMaxObjects) {
    throw InputError(name + " has " + std::to_string(objects) +
                     " objects; an index holds at most " + std::to_string(kMaxObjects) +
                     ", so split it");
  }
}

void append(std::string_view text, std::vector<std::uint64_t>& offsets,
            std::vector<std::uint8_t>& bytes) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  offsets.push_back(bytes.size());
}

}  // namespace

std::string_view distance_name(DistanceKind kind) {
  return kNames[static_cast<std::size_t>(kind)].name;
}

DistanceKind distance_from_name(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.name == name) return known.kind;
  }
  throw UsageError("there is no distance '" + std::string(name) +
                   "'; choose levenshtein, hamming, jaccard, l1, l2 or angular");
}

namespace {

constexpr const char* kAreVectors = "the objects of this space are vectors; ask with a vector";
constexpr const char* kAreTexts = "the objects of this space are texts; ask with a text";

}  // namespace

std::unique_ptr<DistanceFrom> ObjectSpace::from_text(std::string_view /*text*/) const {
  throw UsageError(kAreVectors);
}

std::unique_ptr<DistanceFrom> ObjectSpace::from_vector(std::span<const float> /*vector*/) const {
  throw UsageError(kAreTexts);
}

void ObjectSpace::check_text(std::string_view /*text*/) const { throw UsageError(kAreVectors); }

std::vector<float> ObjectSpace::checked_vector(std::span<const float> /*vector*/) const {
  throw UsageError(kAreTexts);
}

std::size_t QueryObjects::size(const ObjectSettings& settings) const {
  if (!is_of_vectors(settings.distance)) {
    if (!vectors.empty()) throw UsageError(kAreTexts);
    return texts.size();
  }
  if (!texts.empty()) throw UsageError(kAreVectors);
  if (vectors.size() % settings.dimension != 0) {
    throw UsageError(std::to_string(vectors.size()) + " components are no rows of " +
                     std::to_string(settings.dimension));
  }
  return vectors.size() / settings.dimension;
}

std::unique_ptr<ObjectSpace> make_space(const ObjectsView& view) {
  if (is_of_vectors(view.settings.distance)) return make_vector_space(view);
  return view.settings.distance == DistanceKind::kJaccard ? make_set_space(view)
                                                          : make_text_space(view);
}

Objects::Objects(const ObjectSettings& settings, std::span<const std::string> texts,
                 const std::string& name)
    : settings_(settings), count_(texts.size()) {
  check_object_count(count_, name);
  offsets_.push_back(0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string at = "line " + std::to_string(i + 1) + " of " + name;
    if (settings.distance == DistanceKind::kHamming && texts[i].size() != texts[0].size()) {
      throw InputError(at + " has " + std::to_string(texts[i].size()) + " bytes, line 1 has " +
                       std::to_string(texts[0].size()) +
                       "; the Hamming distance is of texts of one length");
    }
    if (settings.unit == TextUnit::kCodePoints && !is_utf8(texts[i])) {
      throw InputError(at + " is not UTF-8; convert it, or compare bytes");
    }
    append(texts[i], offsets_, bytes_);
  }
  if (settings.distance == DistanceKind::kJaccard) add_sets(texts);
}

Objects::Objects(const ObjectSettings& settings, std::vector<float> vectors,
                 const std::string& name)
    : settings_(settings),
      count_(vectors.size() / settings.dimension),
      vectors_(std::move(vectors)) {
  check_object_count(count_, name);
  if (settings.distance != DistanceKind::kAngular) return;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!scale_to_unit(std::span(vectors_).subspan(i * settings.dimension, settings.dimension))) {
      throw InputError("row " + std::to_string(i) + " of " + name +
                       " has length 0, and so no angle to others; leave it out");
    }
  }
}

void Objects::add_sets(std::span<const std::string> texts) {
  std::vector<std::string_view> words;
  for (const std::string& text : texts) {
    const std::vector<std::string_view> own = words_of(text);
    words.insert(words.end(), own.begin(), own.end());
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  word_offsets_.push_back(0);
  for (const std::string_view word : words) {
    numbers.emplace(word, static_cast<std::uint32_t>(numbers.size()));
    append(word, word_offsets_, word_bytes_);
  }
  set_begins_.push_back(0);
  for (const std::string& text : texts) {
    // Ascending by number too, as numbers are in the order of words.
    for (const std::string_view word : words_of(text)) set_words_.push_back(numbers.at(word));
    set_begins_.push_back(set_words_.size());
  }
}

ObjectsView Objects::view() const {
  return {settings_,   count_,     {offsets_, bytes_},
          set_begins_, set_words_, {word_offsets_, word_bytes_},
          vectors_};
}

std::vector<std::string> read_lines(const std::string& path) {
  const vector::DataFile file(path);
  std::string bytes(file.size(), '\0');
  file.read(0, bytes.size(), bytes.data());
  std::string_view rest = bytes;
  check_encoding(rest.substr(0, kEncodingBytes), path);
  std::vector<std::string> lines;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = without_byte_order_marks(line);
    if (line.empty() && rest.empty() && !bytes.ends_with('\n')) break;  // a mark alone is no line
    if (const std::string fault = line_fault(line); !fault.empty()) {
      throw InputError("line " + std::to_string(lines.size() + 1) + " of '" + path + "' " + fault);
    }
    if (line.size() > kMaxTextBytes) {
      throw InputError("line " + std::to_string(lines.size() + 1) + " of '" + path + "' has " +
                       std::to_string(line.size()) + " bytes; at most " +
                       std::to_string(kMaxTextBytes) + " are taken");
    }
    lines.emplace_back(line);
  }
  return lines;
}

namespace {

/// The lines of a file that is not one of vectors.
std::vector<std::string> read_texts(const std::string& path, DistanceKind distance) {
  if (vector::find_data_path(path)) {
    throw UsageError("'" + path + "' is a file of vectors; the distance " +
                     std::string(distance_name(distance)) +
                     " is one of lines of text: give a text file");
  }
  return read_lines(path);
}

}  // namespace

Objects read_objects(const std::string& path, ObjectSettings settings) {
  const std::string name = "'" + path + "'";
  if (!is_of_vectors(settings.distance)) {
    return {settings, read_texts(path, settings.distance), name};
  }
  vector::Matrix<float> rows = vector::read_float_matrix(path);
  settings.dimension = rows.columns;
  return {settings, std::move(rows.values), name};
}

Queries::Queries(const std::string& path, const ObjectSettings& settings)
    : name_("'" + path + "'") {
  if (!is_of_vectors(settings.distance)) {
    texts_ = read_texts(path, settings.distance);
    count_ = texts_.size();
    return;
  }
  vector::Matrix<float> rows = vector::read_float_matrix(path, vector::Role::kQueries);
  count_ = rows.rows;
  dimension_ = rows.columns;
  vectors_ = std::move(rows.values);
}

Queries::Queries(std::vector<std::string> texts)
    : name_("the queries"), count_(texts.size()), texts_(std::move(texts)) {}

Queries::Queries(std::vector<float> vectors, std::size_t dimension)
    : name_("the queries"), dimension_(dimension), vectors_(std::move(vectors)) {
  if (dimension == 0 || vectors_.size() % dimension != 0) {
    throw UsageError(std::to_string(vectors_.size()) + " components are no rows of " +
                     std::to_string(dimension));
  }
  count_ = vectors_.size() / dimension;
}

/// What `use` gives; adds file and line or row to its errors.
template <class Use>
auto Queries::named(std::size_t query, const Use& use) const {
  try {
    return use();
  } catch (const InputError& error) {
    throw InputError(
        (texts_.empty() ? "row " + std::to_string(query) : "line " + std::to_string(query + 1)) +
        " of " + name_ + " " + error.what());
  }
}

std::unique_ptr<DistanceFrom> Queries::from(const ObjectSpace& space, std::size_t query) const {
  return named(query, [&] {
    return texts_.empty() ? space.from_vector(vector(query)) : space.from_text(texts_[query]);
  });
}

QueryObjects Queries::objects(const ObjectSpace& space, std::size_t first,
                              std::size_t count) const {
  QueryObjects some;
  for (std::size_t q = first; q < first + count; ++q) {
    named(q, [&] {
      if (texts_.empty()) {
        space.checked_vector(vector(q));
      } else {
        space.check_text(texts_[q]);
        some.texts.emplace_back(texts_[q]);
      }
    });
  }
  if (texts_.empty()) {
    some.vectors = std::span(vectors_).subspan(first * dimension_, count * dimension_);
  }
  return some;
}

std::span<const float> Queries::vector(std::size_t query) const {
  return std::span(vectors_).subspan(query * dimension_, dimension_);
}

std::string_view Queries::text(std::size_t query) const {
  return texts_.empty() ? std::string_view() : std::string_view(texts_[query]);
}

}  // namespace warpdex::metric
