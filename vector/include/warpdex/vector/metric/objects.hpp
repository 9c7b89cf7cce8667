// The objects and distances that Warpdex defines: texts, sets of words, vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/vector/metric/levenshtein.hpp"
#include "warpdex/vector/metric/metric_settings.hpp"
#include "warpdex/vector/metric/metric_space.hpp"

namespace warpdex::metric {

/// Texts one after the other: text i is bytes [offsets[i], offsets[i + 1]).
struct TextsView {
  std::span<const std::uint64_t> offsets;  ///< one more than texts
  std::span<const std::uint8_t> bytes;

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::string_view text(std::size_t i) const {
    return {reinterpret_cast<const char*>(bytes.data()) + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

/// All that a space of these objects reads.
struct ObjectsView {
  ObjectSettings settings;
  std::size_t objects = 0;
  TextsView texts;  ///< unless they are vectors
  /// Of kJaccard: object i has the words set_words[set_begins[i]] on, ascending; words by number.
  std::span<const std::uint64_t> set_begins;
  std::span<const std::uint32_t> set_words;
  TextsView words;  ///< ascending
  /// Rows without padding; for kAngular of length 1.
  std::span<const float> vectors;
};

/// A space whose queries are texts or vectors, by its distance.
class ObjectSpace : public MetricSpace {
 public:
  /// Throws UsageError if the objects are vectors, InputError for a text that has no distance to
  /// the objects: of another length for kHamming, not UTF-8 for code points.
  virtual std::unique_ptr<DistanceFrom> from_text(std::string_view text) const;
  /// Throws UsageError if the objects are texts; InputError for another dimension, and for kAngular
  /// for a vector of length 0.
  virtual std::unique_ptr<DistanceFrom> from_vector(std::span<const float> vector) const;
  /// Throw what these do. The vector comes back as it is compared: for kAngular of length 1.
  virtual void check_text(std::string_view text) const;
  virtual std::vector<float> checked_vector(std::span<const float> vector) const;
};

/// Queries for such a space: texts, or rows of vectors one after the other.
struct QueryObjects {
  std::vector<std::string_view> texts;
  std::span<const float> vectors;

  /// How many there are. Throws UsageError where they are not of the kind of the objects.
  std::size_t size(const ObjectSettings& settings) const;
};

/// What the view leads to must outlive the space.
std::unique_ptr<ObjectSpace> make_space(const ObjectsView& view);

/// Objects in memory.
class Objects {
 public:
  /// Texts. Throws InputError, with `name` and the line from 1, for a text that the distance does
  /// not take: of another length than the first for kHamming, not UTF-8 for code points; and for
  /// none, or more than kMaxObjects.
  Objects(const ObjectSettings& settings, std::span<const std::string> texts,
          const std::string& name);
  /// Rows of `settings.dimension` components. Throws InputError likewise, with the row from 0.
  Objects(const ObjectSettings& settings, std::vector<float> vectors, const std::string& name);

  /// Valid while the object lives and is not moved.
  ObjectsView view() const;

 private:
  void add_sets(std::span<const std::string> texts);

  ObjectSettings settings_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint64_t> set_begins_;
  std::vector<std::uint32_t> set_words_;
  std::vector<std::uint64_t> word_offsets_;
  std::vector<std::uint8_t> word_bytes_;
  std::vector<float> vectors_;
};

/// The lines of a text file, without their ends (LF or CR LF) and a byte order mark. Throws
/// IoError; InputError for a line of more than kMaxTextBytes.
std::vector<std::string> read_lines(const std::string& path);
/// The longest line of read_lines().
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;

/// Reads objects from a file: a text a line, or any file of vectors that open_vectors() reads.
/// Throws as Objects() and open_vectors() do.
Objects read_objects(const std::string& path, ObjectSettings settings);

/// Queries for a space: those of a file, for one of these settings, or of the caller.
class Queries {
 public:
  /// Throws as read_objects() does, but there may be none.
  Queries(const std::string& path, const ObjectSettings& settings);
  /// Texts, or rows of `dimension` components. Throws UsageError for components that are no rows.
  explicit Queries(std::vector<std::string> texts);
  Queries(std::vector<float> vectors, std::size_t dimension);
  std::size_t size() const { return count_; }
  /// As ObjectSpace::from_text() or from_vector(); messages name the file, and line or row.
  std::unique_ptr<DistanceFrom> from(const ObjectSpace& space, std::size_t query) const;
  /// Some of them, checked likewise; valid while this lives.
  QueryObjects objects(const ObjectSpace& space, std::size_t first, std::size_t count) const;
  /// The text of a query; empty for a vector.
  std::string_view text(std::size_t query) const;

 private:
  template <class Use>
  auto named(std::size_t query, const Use& use) const;
  std::span<const float> vector(std::size_t query) const;

  std::string name_;  ///< for messages
  std::size_t count_ = 0;
  std::size_t dimension_ = 0;
  std::vector<std::string> texts_;
  std::vector<float> vectors_;
};

}  // namespace warpdex::metric
