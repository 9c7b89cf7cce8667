// Copies a text, if it has anything that may change, and changes it cluster by cluster.
#include "analysis/one_form.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uniset.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "analysis/icu_status.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

/// A cluster of more characters is cut, since ICU takes quadratic time to order marks. Unicode's
/// Stream-Safe Text Format allows 30 marks.
constexpr std::size_t kMaxCluster = 256;

icu::UnicodeSet make_set(const char* pattern) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeSet set(icu::UnicodeString::fromUTF8(pattern), status);
  require_icu(status, "load the properties of characters");
  set.freeze();
  return set;
}

const icu::UnicodeSet& unseen_set() {
  static const icu::UnicodeSet set = make_set("[:Default_Ignorable_Code_Point:]");
  return set;
}

/// What composes with a character before it, or is never in a composed text.
const icu::UnicodeSet& composing_set() {
  static const icu::UnicodeSet set = make_set("[[:NFC_QC=No:][:NFC_QC=Maybe:]]");
  return set;
}

/// All that may change: these, what nobody sees, and marks, whose order counts.
const icu::UnicodeSet& changing_set() {
  static const icu::UnicodeSet set = make_set(
      "[[:NFC_QC=No:][:NFC_QC=Maybe:][:Default_Ignorable_Code_Point:]"
      "[:^Canonical_Combining_Class=0:]]");
  return set;
}

const icu::Normalizer2& composer() {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* composer = icu::Normalizer2::getNFCInstance(status);
  require_icu(status, "prepare the composition of characters");
  return *composer;
}

/// Moves `at` past a character.
UChar32 next_of(std::string_view text, std::size_t& at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 c;
  U8_NEXT_UNSAFE(bytes, at, c);
  return c;
}

icu::StringPiece piece_of(std::string_view text) {
  return {text.data(), static_cast<std::int32_t>(text.size())};
}

}  // namespace

OneForm::OneForm()
    : composer_(composer()),
      unseen_(unseen_set()),
      composing_(composing_set()),
      changing_(changing_set()) {}

/// Where the next cluster that may change starts, from the start of a cluster on: at the character
/// before one that changes or that changes others, or before two marks. The text's end if there is
/// none.
std::size_t OneForm::next_change(std::string_view text, std::size_t start) const {
  std::size_t before = start;
  bool is_behind_mark = false;
  for (std::size_t at = start; at < text.size();) {
    const std::size_t ascii = ascii_prefix(text.substr(at));
    if (ascii > 0) {
      before = at + ascii - 1;
      is_behind_mark = false;
    }
    at += ascii;
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) {
      const std::size_t begin = at;
      const UChar32 c = next_of(text, at);
      if (!changing_.contains(c)) {
        before = begin;
        is_behind_mark = false;
      } else if (is_behind_mark || composing_.contains(c) || unseen_.contains(c)) {
        return before;
      } else {
        is_behind_mark = true;
      }
    }
  }
  return text.size();
}

std::string_view OneForm::of(std::string_view text, bool keeps_places) {
  keeps_places_ = keeps_places;
  changes_.clear();
  std::size_t next = next_change(text, 0);
  if (next == text.size()) return text;
  copy_.assign(text, 0, next);
  while (next < text.size()) {
    const std::size_t done = append_cluster(text, next);
    next = next_change(text, done);
    copy_.append(text, done, next - done);
  }
  return copy_;
}

/// Returns where the next cluster starts. What nobody sees within a cluster is left out with it;
/// what stands at its end makes a cluster of its own.
std::size_t OneForm::append_cluster(std::string_view text, std::size_t start) {
  cluster_.clear();
  left_out_.clear();
  std::size_t end = start;  // past the last character that is kept, or where none is, is left out
  std::size_t characters = 0;
  std::size_t marks = 0;  // that have an order, if there are several
  bool is_composed = true;
  for (std::size_t at = start; at < text.size() && characters < kMaxCluster;) {
    const std::size_t begin = at;
    const UChar32 c = next_of(text, at);
    if (unseen_.contains(c)) {
      if (keeps_places_) left_out_.push_back({cluster_.size(), cluster_.size(), begin, at});
      if (cluster_.empty()) end = at;
      continue;
    }
    if (begin > start && (cluster_.empty() || composer_.hasBoundaryBefore(c))) break;
    cluster_.append(text, begin, at - begin);
    is_composed = is_composed && !composing_.contains(c);
    if (changing_.contains(c)) ++marks;
    ++characters;
    end = at;
  }
  const std::size_t copied = copy_.size();
  is_composed&& marks < 2 ? void(copy_ += cluster_) : append_composed();
  if (keeps_places_) keep_places(copied, start, end);
  return end;
}

void OneForm::keep_places(std::size_t copied, std::size_t start, std::size_t end) {
  if (std::string_view(copy_).substr(copied) != cluster_) {
    changes_.push_back({copied, copy_.size(), start, end});
    return;
  }
  for (Change change : left_out_) {
    if (change.original_begin >= end) break;  // of the next cluster
    change.begin = change.end = copied + change.begin;
    changes_.push_back(change);
  }
}

void OneForm::append_composed() {
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&copy_);
  composer_.normalizeUTF8(0, piece_of(cluster_), sink, nullptr, status);
  require_icu(status, "compose characters");
}

const OneForm::Change* OneForm::change_before(std::size_t offset) const {
  const auto behind = std::upper_bound(
      changes_.begin(), changes_.end(), offset,
      [](std::size_t wanted, const Change& change) { return wanted < change.begin; });
  return behind == changes_.begin() ? nullptr : &*(behind - 1);
}

std::size_t OneForm::original_begin(std::size_t begin) const {
  const Change* change = change_before(begin);
  if (change == nullptr) return begin;
  if (begin < change->end) return change->original_begin;
  return change->original_end + (begin - change->end);
}

std::size_t OneForm::original_end(std::size_t end) const {
  if (end == 0) return 0;
  const Change* change = change_before(end - 1);
  if (change == nullptr) return end;
  if (end <= change->end) return change->original_end;
  return change->original_end + (end - change->end);
}

}  // namespace warpdex::analysis
