// The options on how posting lists are encoded, of all commands that write an index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "options/options.hpp"
#include "warpdex/codecs/codec_settings.hpp"

namespace warpdex::tools {

/// Declared once, read after CommandLine::parse().
class CodecOptions {
 public:
  /// Adds --codec, --pfor-levels and --no-bit-sets.
  void add_to(po::options_description& group);
  /// Likewise where they change those of an index, whose codec is the default.
  void add_change_to(po::options_description& group);
  /// What they say. `before`: the index's own, where they change these. Throws UsageError for what
  /// they cannot say.
  CodecSettings settings(const CommandLine& command,
                         const std::optional<CodecSettings>& before = {}) const;

 private:
  void add_to(po::options_description& group, po::typed_value<std::string>* codec,
              const char* codec_help);

  std::string codec_ = std::string(codec_name(CodecSettings{}.kind));
  std::int64_t pfor_levels_ = CodecSettings{}.pfor_levels;
  bool no_bit_sets_ = false;
};

/// For people: "pfor, 2 levels", "bitpack, no bit sets".
std::string codec_text(const CodecSettings& settings);

}  // namespace warpdex::tools
