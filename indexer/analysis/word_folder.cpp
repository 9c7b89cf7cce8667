// Folds ASCII words by hand and others by ICU.
#include "analysis/word_folder.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/ucasemap.h>

#include <bit>
#include <cstring>

#include "analysis/analysis_path.hpp"
#include "analysis/icu_status.hpp"

namespace warpdex::analysis {
namespace {

constexpr std::uint64_t kEachByte = 0x0101'0101'0101'0101;
constexpr std::size_t kStep = sizeof(std::uint64_t);

std::uint64_t load_step(const char* bytes) {
  std::uint64_t step;
  std::memcpy(&step, bytes, kStep);
  return step;
}

/// Fewer bytes than a step, and zeros behind them.
std::uint64_t load_rest(const char* bytes, std::size_t size) {
  static_assert(std::endian::native == std::endian::little);
  if (size >= 4) {
    std::uint32_t first, last;
    std::memcpy(&first, bytes, 4);
    std::memcpy(&last, bytes + size - 4, 4);
    return first | std::uint64_t{last} << (8 * (size - 4));
  }
  if (size == 0) return 0;
  const auto at = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  };
  return at(0) | at(size / 2) | at(size - 1);
}

/// The highest bit of each byte from A to Z; of ASCII.
std::uint64_t capitals(std::uint64_t step) {
  return (step + kEachByte * (0x80 - 'A')) & ~(step + kEachByte * (0x7F - 'Z')) & (kEachByte << 7);
}

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
  if (lower_.size() < word.size() + kStep) lower_.resize(2 * word.size() + kStep);
  std::uint64_t all_bits = 0;
  std::uint64_t all_capitals = 0;
  const auto lower = [&](std::size_t at, std::uint64_t step) {
    const std::uint64_t found = capitals(step);
    all_bits |= step;
    all_capitals |= found;
    step |= found >> 2;  // 0x20 makes a capital small
    std::memcpy(lower_.data() + at, &step, kStep);
  };
  std::size_t at = 0;
  for (; at + kStep <= word.size(); at += kStep) lower(at, load_step(word.data() + at));
  lower(at, load_rest(word.data() + at, word.size() - at));
  if ((all_bits & (kEachByte << 7)) != 0) {
    return normalizer_ != nullptr ? fold_form(word) : fold_case(word);
  }
  if (all_capitals == 0) return word;
  return {lower_.data(), word.size()};
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
