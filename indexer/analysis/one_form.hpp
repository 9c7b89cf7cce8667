// A text in one form: what looks the same is the same. Internal to indexer/analysis.
#pragma once

#include <unicode/utypes.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

U_NAMESPACE_BEGIN
class Normalizer2;
class UnicodeSet;
U_NAMESPACE_END

namespace warpdex::analysis {

/// Composes a text (NFC) and leaves out the characters that nobody sees: Unicode's
/// Default_Ignorable_Code_Point, such as the soft hyphen, the zero-width space, marks of direction
/// and selectors of variants. This comes before segmentation, so that none of them parts a word and
/// that both forms of a text have the same words. Other forms (full width, ligatures) are folded
/// word by word afterwards: before, a ™ or ½ would join the words beside it. One per thread.
class OneForm {
 public:
  OneForm();

  /// The text in one form: `text` itself if it is so, as ASCII is, else a copy that stays until the
  /// next call. With `keeps_places`, original_begin() and original_end() can be asked then. `text`
  /// must be valid UTF-8. O(bytes).
  std::string_view of(std::string_view text, bool keeps_places = false);

  /// Where a word of what of() returned begins and ends in the text that it was given: `begin` is
  /// the offset of its first byte, `end` that past its last one. O(log changes).
  std::size_t original_begin(std::size_t begin) const;
  std::size_t original_end(std::size_t end) const;

 private:
  /// [begin, end) of the copy stands for [original_begin, original_end).
  struct Change {
    std::size_t begin, end;
    std::size_t original_begin, original_end;
  };

  std::size_t next_change(std::string_view text, std::size_t start) const;
  std::size_t append_cluster(std::string_view text, std::size_t start);
  void append_composed();
  void keep_places(std::size_t copied, std::size_t start, std::size_t end);
  const Change* change_before(std::size_t offset) const;

  bool keeps_places_ = false;
  const icu::Normalizer2& composer_;
  const icu::UnicodeSet& unseen_;
  const icu::UnicodeSet& composing_;
  const icu::UnicodeSet& changing_;
  std::string copy_;
  std::string cluster_;           // a character, and those that may compose with it
  std::vector<Change> left_out_;  // of the cluster: nothing in the copy stands for these
  std::vector<Change> changes_;
};

}  // namespace warpdex::analysis
