// Declares and reads the options on codecs.
#include "codec_options.hpp"

#include "text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void CodecOptions::add_to(po::options_description& group, bool is_required) {
  auto* const codec = po::value(&codec_)->value_name("CODEC");
  if (is_required) {
    codec->required();
  } else {
    codec->default_value(codec_);
  }
  group.add_options()("codec", codec, "rice (smallest), pfor, pfor-block or bitpack (fastest)")(
      "pfor-levels", po::value(&pfor_levels_)->value_name("N")->default_value(pfor_levels_),
      "pfor: levels at which exceptions are compressed again, 0 to 4")(
      "no-bit-sets", po::bool_switch(&no_bit_sets_),
      "use the codec for dense blocks of docIDs, too: larger, and faster to add up on a GPU");
}

CodecSettings CodecOptions::settings(const CommandLine& command) const {
  CodecSettings settings;
  settings.kind = codec_from_name(codec_);
  settings.pfor_levels =
      static_cast<std::uint8_t>(checked_number("--pfor-levels", pfor_levels_, 0, kMaxPforLevels));
  settings.bit_sets = !no_bit_sets_;
  if (command.given("pfor-levels") && settings.kind != CodecKind::kPfor) {
    throw UsageError("--pfor-levels is for --codec pfor; leave it out for " + codec_);
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
