// Encodes an index's lists by every codec and measures sizes and decode rates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::tools {

struct CodecVariant {
  std::string name;  ///< "rice", "pfor 0", … "pfor 4", "pfor-block", "bitpack"
  CodecSettings settings;
};

std::vector<CodecVariant> codec_variants();

struct ComparisonSettings {
  std::uint64_t postings_per_class = 4'000'000;  ///< encoded and decoded, at the most
  bool bit_sets = true;                          ///< dense blocks of docIDs as bit sets
  std::size_t threads = 0;                       ///< to encode with; 0: all
};

/// What one codec makes of the lists of one class.
struct CodecFigures {
  double docid_bits = 0;  ///< a posting, with the width that its list or block stores
  double frequency_bits = 0;
  double docid_rate = 0;  ///< million integers a second, gaps added up to docIDs
  double frequency_rate = 0;
};

struct ComparedClass {
  std::string name;         ///< as in kListClasses
  std::uint64_t lists = 0;  ///< in the index
  std::uint64_t postings = 0;
  std::uint64_t sampled_lists = 0;
  std::uint64_t sampled_postings = 0;
  std::vector<CodecFigures> figures;  ///< by codec variant
};

struct Comparison {
  std::vector<CodecVariant> variants;
  std::vector<ComparedClass> classes;  ///< those that the index has, short lists first
  /// Over all lists: the classes' figures, weighed by their postings.
  std::vector<CodecFigures> overall;
};

/// Samples every n-th list of a class, in the order of terms, so as to keep to the settings'
/// number of postings (but one list at least). Lists of one posting are left out: the lexicon
/// holds them, whatever the codec. Rates are those of one thread by its processor time, block by
/// block into a buffer of one block: the median of several passes over the sample, after one that
/// is not timed. `on_step` gets the name of what is measured next. O(sample) memory for a class at
/// a time.
Comparison compare_codecs(const Index& index, const ComparisonSettings& settings,
                          const std::function<void(const std::string&)>& on_step);

}  // namespace warpdex::tools
