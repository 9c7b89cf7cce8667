// Declares the options of lists and codes, and checks which go together.
#include "options/vector_kind_options.hpp"

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void VectorKindOptions::add_kind_to(po::options_description& group) {
  group.add_options()(
      option_.c_str(), po::value(&kind_)->value_name("TYPE")->default_value(kind_),
      "flat: all vectors are compared, so that every answer is exact. ivf-flat: an inverted file; "
      "only the lists nearest to a query are compared. ivf-pq: the same, by codes of a few bytes a "
      "vector. xfbq: all vectors are compared, by codes of a few bits a component. ivf-xfbq: those "
      "of "
      "the nearest lists, by such codes. sq8 and ivf-sq8: likewise by codes of a byte a "
      "component");
}

void VectorKindOptions::add_lists_to(po::options_description& group) {
  group.add_options()("lists", po::value(&lists_)->value_name("N")->default_value(0),
                      "not xfbq and sq8: how many lists; 0: about 4 times the root of the number "
                      "of vectors, or one "
                      "for each 32 vectors if these are fewer, such as 32 lists for 1,000 vectors")(
      "train", po::value(&train_)->value_name("N")->default_value(0),
      "not xfbq and sq8: vectors that the lists' centroids are trained on; 0: 256 a list. Codes of "
      "ivf-pq "
      "are trained on as many, up to 65,536")(
      "seed", po::value(&seed_)->value_name("S")->default_value(seed_),
      "of the training; with xfbq, of the rotation (--rotate)");
}

void VectorKindOptions::add_bits_to(po::options_description& group) {
  group.add_options()("bits", po::value(&bits_)->value_name("B"),
                      "ivf-pq: 8 (default), a byte of a code is the number of one of 256 "
                      "codewords; or 4, it is two numbers, each of one of 16. xfbq, "
                      "ivf-xfbq: bits of a component's code, 1 to 8 (default 4)");
}

void VectorKindOptions::add_codes_to(CommandLine& command, bool has_dimension) {
  po::options_description pq = option_group("For ivf-pq");
  pq.add_options()("bytes", po::value(&bytes_)->value_name("M")->default_value(0),
                   "of a vector's code; 0: one for each 4 components")(
      "opq", po::bool_switch(&opq_),
      "rotate vectors first, so that codes lose less; takes longer to train");
  if (has_dimension) {
    pq.add_options()(
        "opq-dimension", po::value(&opq_dimension_)->value_name("D"),
        "rotate to D components, at least --bytes, and make codes of these. Implies --opq. "
        "Default: as many as vectors have");
  }
  command.add(pq);
  po::options_description binary = option_group("For xfbq and ivf-xfbq");
  binary.add_options()("rotate", po::bool_switch(&rotate_),
                       "rotate vectors at random first, for those with few large components; takes "
                       "longer to encode")(
      "correct", po::bool_switch(&correct_),
      "keep a scale and a correction of each vector (RaBitQ), so that codes lose less; takes 8 "
      "bytes a vector, in lists 4. Best with --rotate")(
      "clip", po::value(&clip_)->value_name("SHARE"),
      "of the components, those that may lie outside of the range that codes stand for, from 0 to "
      "below 1. Default: what suits the bits, 0.0073 for 4");
  command.add(binary);
}

void VectorKindOptions::check(const CommandLine& command, bool suits,
                              std::initializer_list<const char*> options,
                              const std::string& purpose) {
  for (const char* option : options) {
    if (suits || !command.given(option)) continue;
    throw UsageError("--" + std::string(option) + " is for " + purpose + ", or leave it out");
  }
}

void VectorKindOptions::check_options(const NewVectorIndex& settings,
                                      const CommandLine& command) const {
  const std::string add = "; add --" + option_ + " ";
  const bool has_lists = settings.lists != 0;
  const bool is_binary = settings.coding == VectorCoding::kBinary;
  const bool has_codes = settings.coding != VectorCoding::kRows;
  check(command, has_lists, {"lists", "train"}, "an inverted file" + add + "ivf-flat");
  check(command, has_lists || has_codes, {"seed"},
        "an inverted file or for codes" + add + "ivf-flat");
  check(command, has_lists || settings.is_rotated, {"seed"}, "the rotation of xfbq; add --rotate");
  const bool is_pq = settings.coding == VectorCoding::kPq;
  check(command, is_pq || is_binary, {"bits"}, "codes" + add + "ivf-pq, xfbq or ivf-xfbq");
  check(command, is_pq, {"bytes", "opq", "opq-dimension"}, "codes" + add + "ivf-pq");
  check(command, is_binary, {"rotate", "correct", "clip"},
        "binary codes" + add + "xfbq or ivf-xfbq");
}

void VectorKindOptions::refuse_all(const CommandLine& command, const std::string& purpose) const {
  check(command, false,
        {option_.c_str(), "lists", "train", "seed", "bits", "bytes", "opq", "rotate", "correct",
         "clip"},
        purpose);
}

NewVectorIndex VectorKindOptions::settings(const CommandLine& command) const {
  NewVectorIndex settings;
  set_vector_kind(kind_, settings);
  const bool is_binary = settings.coding == VectorCoding::kBinary;
  const std::size_t lists = checked_number("--lists", lists_, 0, vector::kMaxRows);
  if (settings.lists != 0 && lists != 0) settings.lists = lists;
  settings.train = checked_number("--train", train_, 0, vector::kMaxRows);
  settings.seed = seed_;
  settings.pq_bytes = checked_number("--bytes", bytes_, 0, vector::kMaxDimension);
  if (command.given("bits")) {
    const std::size_t bits = checked_number("--bits", bits_, 1, 8);
    (is_binary ? settings.binary_bits : settings.pq_bits) = bits;
  }
  settings.is_rotated = is_binary ? rotate_ : opq_;
  if (command.given("opq-dimension")) {
    settings.rotated_dimension =
        checked_number("--opq-dimension", opq_dimension_, 1, vector::kMaxDimension);
  }
  settings.is_corrected = correct_;
  if (command.given("clip")) {
    if (!(clip_ >= 0)) throw UsageError("--clip takes a share from 0 to below 1");
    settings.clip = clip_;
  }
  check_options(settings, command);
  return settings;
}

}  // namespace warpdex::tools
