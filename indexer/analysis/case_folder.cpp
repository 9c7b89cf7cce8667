// Folds ASCII words by hand and others by ICU.
#include "analysis/case_folder.hpp"

#include <unicode/ucasemap.h>

#include <cstdint>

#include "warpdex/core/error.hpp"

namespace warpdex::analysis {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

void CaseFolder::Close::operator()(UCaseMap* map) const { ucasemap_close(map); }

CaseFolder::CaseFolder() {
  UErrorCode status = U_ZERO_ERROR;
  map_.reset(ucasemap_open("", U_FOLD_CASE_DEFAULT, &status));
  if (U_FAILURE(status)) {
    throw Error(std::string("ICU could not prepare case folding (") + u_errorName(status) +
                "): check that the ICU libraries and their data are installed whole");
  }
}

std::string_view CaseFolder::fold(std::string_view word) {
  unsigned all_bits = 0;
  bool any_upper = false;
  for (const char c : word) {
    all_bits |= static_cast<unsigned char>(c);
    any_upper |= is_upper(c);
  }
  if (all_bits >= 0x80) return fold_unicode(word);
  if (!any_upper) return word;
  folded_.assign(word);
  for (char& c : folded_) c = static_cast<char>(c | (is_upper(c) ? 0x20 : 0));
  return folded_;
}

std::string_view CaseFolder::fold_unicode(std::string_view word) {
  folded_.resize(word.size() * 3);
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t length =
      ucasemap_utf8FoldCase(map_.get(), folded_.data(), static_cast<std::int32_t>(folded_.size()),
                            word.data(), static_cast<std::int32_t>(word.size()), &status);
  if (U_FAILURE(status)) {
    throw Error(std::string("ICU could not fold a word's case (") + u_errorName(status) +
                "): report this with the text at hand");
  }
  folded_.resize(static_cast<std::size_t>(length));
  return folded_;
}

}  // namespace warpdex::analysis
