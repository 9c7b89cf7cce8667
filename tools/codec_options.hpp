// The options on how posting lists are encoded, of all commands that write an index.
#pragma once

#include <cstdint>
#include <string>

#include "options.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::tools {

/// Declared once, read after CommandLine::parse().
class CodecOptions {
 public:
  /// Adds --codec, which has a default unless it `is_required`, --pfor-levels and --no-bit-sets.
  void add_to(po::options_description& group, bool is_required = false);
  /// What they say. Throws UsageError for what they cannot.
  CodecSettings settings(const CommandLine& command) const;

 private:
  std::string codec_ = std::string(codec_name(CodecSettings{}.kind));
  std::int64_t pfor_levels_ = CodecSettings{}.pfor_levels;
  bool no_bit_sets_ = false;
};

/// For people: "pfor, 2 levels", "bitpack, no bit sets".
std::string codec_text(const CodecSettings& settings);

}  // namespace warpdex::tools
