// Folds ASCII words by hand and others by ICU.
#include "analysis/word_folder.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/ucasemap.h>

#include "analysis/analyzers.hpp"
#include "analysis/icu_status.hpp"

namespace warpdex::analysis {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

void WordFolder::Close::operator()(UCaseMap* map) const { ucasemap_close(map); }

WordFolder::WordFolder(std::uint32_t version) {
  UErrorCode status = U_ZERO_ERROR;
  if (version >= kOneFormVersion) {
    normalizer_ = icu::Normalizer2::getNFKCCasefoldInstance(status);
  } else {
    map_.reset(ucasemap_open("", U_FOLD_CASE_DEFAULT, &status));
  }
  require_icu(status, "prepare the folding of words");
}

std::string_view WordFolder::fold(std::string_view word) {
  unsigned all_bits = 0;
  bool any_upper = false;
  for (const char c : word) {
    all_bits |= static_cast<unsigned char>(c);
    any_upper |= is_upper(c);
  }
  if (all_bits >= 0x80) return normalizer_ != nullptr ? fold_form(word) : fold_case(word);
  if (!any_upper) return word;
  folded_.assign(word);
  for (char& c : folded_) c = static_cast<char>(c | (is_upper(c) ? 0x20 : 0));
  return folded_;
}

std::string_view WordFolder::fold_case(std::string_view word) {
  folded_.resize(word.size() * 3);
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t length =
      ucasemap_utf8FoldCase(map_.get(), folded_.data(), static_cast<std::int32_t>(folded_.size()),
                            word.data(), static_cast<std::int32_t>(word.size()), &status);
  require_icu(status, "fold a word's case");
  folded_.resize(static_cast<std::size_t>(length));
  return folded_;
}

std::string_view WordFolder::fold_form(std::string_view word) {
  folded_.clear();
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&folded_);
  normalizer_->normalizeUTF8(0,
                             icu::StringPiece(word.data(), static_cast<std::int32_t>(word.size())),
                             sink, nullptr, status);
  require_icu(status, "fold a word");
  // A few letters stand for several words (U+FDFA); a term has no white space.
  std::erase(folded_, ' ');
  return folded_;
}

}  // namespace warpdex::analysis
