// Declares and reads the options on codecs.
#include "options/codec_options.hpp"

#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void CodecOptions::add_to(po::options_description& group) {
  add_to(group, po::value(&codec_)->value_name("CODEC")->default_value(codec_),
         "rice (smallest), pfor, pfor-block or bitpack (fastest)");
}

void CodecOptions::add_change_to(po::options_description& group) {
  add_to(group, po::value(&codec_)->value_name("CODEC"),
         "rice (smallest), pfor, pfor-block or bitpack (fastest). Default: that of INDEX, as it is "
         "there");
}

void CodecOptions::add_to(po::options_description& group, po::typed_value<std::string>* codec,
                          const char* codec_help) {
  group.add_options()("codec", codec, codec_help)(
      "pfor-levels", po::value(&pfor_levels_)->value_name("N")->default_value(pfor_levels_),
      "pfor: levels at which exceptions are compressed again, 0 to 4")(
      "no-bit-sets", po::bool_switch(&no_bit_sets_),
      "use the codec for dense blocks of docIDs, too: larger, and faster to add up on a GPU");
}

CodecSettings CodecOptions::settings(const CommandLine& command,
                                     const std::optional<CodecSettings>& before) const {
  const bool is_kept = before && !command.given("codec");
  CodecSettings settings = is_kept ? *before : CodecSettings{};
  if (!is_kept) settings.kind = codec_from_name(codec_);
  const auto levels =
      static_cast<std::uint8_t>(checked_number("--pfor-levels", pfor_levels_, 0, kMaxPforLevels));
  if (!is_kept || command.given("pfor-levels")) settings.pfor_levels = levels;
  if (no_bit_sets_) settings.bit_sets = false;
  if (command.given("pfor-levels") && settings.kind != CodecKind::kPfor) {
    throw UsageError("--pfor-levels is for --codec pfor; leave it out for " +
                     std::string(codec_name(settings.kind)));
  }
  return settings;
}

std::string codec_text(const CodecSettings& settings) {
  std::string text(codec_name(settings.kind));
  if (settings.kind == CodecKind::kPfor) text += ", " + counted(settings.pfor_levels, "level");
  if (!settings.bit_sets) text += ", no bit sets";
  return text;
}

}  // namespace warpdex::tools
