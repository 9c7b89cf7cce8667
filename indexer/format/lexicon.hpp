// The lexicon: terms in order of their bytes, prefix-compressed in groups, each with the header
// of its posting list. docs/format.md, "Lexicon".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/group_keys.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {

/// A single posting's frequency up to this, less one, is held in its header's first number.
inline constexpr std::uint32_t kSmallFrequency = 3;

/// Appends terms with their entries to the two sections.
class LexiconWriter {
 public:
  LexiconWriter(SectionWriter& lexicon, SectionWriter& index, const IndexSettings& settings)
      : lexicon_(lexicon),
        index_(index),
        has_tails_(settings.codec.kind == CodecKind::kPfor),
        positioned_(settings) {}

  /// Terms in strictly ascending order; UsageError otherwise. Offsets must continue those of the
  /// term before: a list's place is found by adding up the sizes before it.
  void add(std::string_view term, const PostingsEntry& entry);

  std::uint64_t terms() const { return terms_; }
  /// Bytes of all terms' texts in the section; the rest are the lists' headers.
  std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  SectionWriter& lexicon_;
  SectionWriter& index_;
  bool has_tails_;
  PositionedTexts positioned_;
  /// Where the next positions of each form start.
  std::uint64_t short_positions_ = 0;
  std::uint64_t positions_ = 0;
  std::string last_term_;
  std::uint64_t terms_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::vector<std::uint8_t> bytes_;
};

/// Reads the two sections; nothing in them is trusted.
class LexiconView {
 public:
  /// `keys` are of the same lexicon. They and `positioned` outlive the view.
  LexiconView(const IndexSections& sections, std::uint64_t documents, const CodecSettings& codec,
              const PositionedTexts& positioned, GroupKeys& keys)
      : sections_(&sections),
        keys_(&keys),
        documents_(documents),
        has_tails_(codec.kind == CodecKind::kPfor),
        positioned_(&positioned) {}

  std::optional<PostingsEntry> find(std::string_view term) const;
  /// The last group from `from` on whose first term is not past `term`; `from` if none is.
  std::uint64_t group_of(std::string_view term, std::uint64_t from) const;
  void for_each(const std::function<void(std::string_view, const PostingsEntry&)>& visit) const;
  /// Likewise of one group.
  void for_each_of_group(
      std::uint64_t group,
      const std::function<void(std::string_view, const PostingsEntry&)>& visit) const;
  /// As Index::pass_terms_of_group().
  void pass_group(std::uint64_t group,
                  const std::function<std::size_t(std::string_view)>& visit) const;

 private:
  class GroupReader;

  /// Whether the first term of the group comes after `term`, whose key is `key`.
  bool is_past(std::uint64_t group, std::string_view term, std::uint64_t key) const;

  const IndexSections* sections_;
  GroupKeys* keys_;
  std::uint64_t documents_;
  bool has_tails_;  ///< the codec is one whose lists have tails
  const PositionedTexts* positioned_;
};

}  // namespace warpdex
