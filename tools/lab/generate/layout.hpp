// The documents of a generated collection: hosts, which are runs of docIDs as in a crawl sorted by
// URL, their sections, and the documents' lengths.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpdex::generate {

/// Logarithms of weights are whole numbers: this many to a factor of two.
inline constexpr int kOctave = 256;

/// What hosts, sections and lengths are like. These are a web crawl's.
struct LayoutModel {
  double mean_length = 900;
  std::uint32_t min_length = 4;
  std::uint32_t max_length = 100'000;
  // Standard deviations of the logarithm of a length, in units of 1/kOctave of a factor of two.
  int host_spread = 170;
  int section_spread = 190;
  int document_spread = 300;
  // Sizes are least / u^2 for a uniform u: half of the runs have fewer than 4 times the least.
  double min_section = 4;
  double max_section = 1024;
  double max_host_share = 1.0 / 50;  ///< of all documents, the largest host
  double max_host = 1e9;             ///< documents of the largest host
};

/// A run of documents of one host, about alike: a folder of its URLs.
struct Section {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
  std::uint32_t host = 0;
  std::int32_t affinity = 0;  ///< logarithm, in kOctave, of its documents' mean length affinity
};

/// No document is likelier by its length to hold a term than this many average ones.
inline constexpr float kMaxAffinity = 2;

/// Lengths by their first two significant bits and their magnitude.
inline constexpr std::size_t kLengthClasses = 128;
inline std::size_t length_class(std::uint32_t length) {
  const int width = std::bit_width(length);
  return width < 3 ? std::size_t{length}
                   : static_cast<std::size_t>(4 * width) + (length >> (width - 3) & 3);
}

class Layout {
 public:
  /// O(documents), on up to `threads` threads (0: all).
  Layout(std::uint64_t seed, std::uint32_t documents, std::size_t threads,
         const LayoutModel& model = {});

  std::uint32_t documents() const { return documents_; }
  std::uint32_t hosts() const { return hosts_; }
  /// Ascending, without gaps.
  std::span<const Section> sections() const { return sections_; }
  /// By docID, in tokens.
  std::span<const std::uint32_t> lengths() const { return lengths_; }
  /// By docID: length_class of the length.
  std::span<const std::uint8_t> length_classes() const { return classes_; }
  /// How much likelier than an average one the document is, by its length, to hold a term.
  float affinity(std::uint32_t document) const { return affinities_[classes_[document]]; }
  /// The same of the documents of a length class.
  float class_affinity(std::size_t which) const { return affinities_[which]; }

 private:
  void place_sections(std::uint64_t seed);
  void draw_lengths(std::uint64_t seed, std::size_t threads);

  LayoutModel model_;
  std::uint32_t documents_;
  std::uint32_t hosts_ = 0;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint8_t> classes_;
  std::array<float, kLengthClasses> affinities_{};
};

}  // namespace warpdex::generate
