// Declares and reads the options on impacts.
#include "options/impact_options.hpp"

#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void ImpactOptions::add_to(po::options_description& group) {
  add_to(group,
         "store BM25 in whole numbers from 1 to 255 in the place of frequencies: searches only add "
         "them up, and can no longer choose a scorer");
}

void ImpactOptions::add_change_to(po::options_description& group) {
  add_to(group,
         "turn frequencies into BM25 in whole numbers from 1 to 255, as warpdex index --impacts "
         "does");
}

void ImpactOptions::add_to(po::options_description& group, const char* help) {
  group.add_options()("impacts", po::bool_switch(&impacts_), help)(
      "impact-k1", po::value(&k1_)->value_name("X")->default_value(k1_, "0.9"),
      "impacts: BM25's k1, 0 or more")("impact-b",
                                       po::value(&b_)->value_name("X")->default_value(b_, "0.4"),
                                       "impacts: BM25's b, 0 to 1");
}

void ImpactOptions::add_weights_to(po::options_description& group) {
  group.add_options()(
      "weights", po::bool_switch(&weights_),
      "the frequencies are weights of a learned model, for searches to add up: store them as they "
      "are if none is past 255, else in 255 equal steps up to the largest");
}

std::optional<ImpactSettings> ImpactOptions::settings(const CommandLine& command) const {
  if (impacts_ && weights_) {
    throw UsageError(
        "--impacts makes impacts of frequencies, --weights takes these for weights; leave one of "
        "the two out");
  }
  if (impacts_) {
    check_bm25_settings(k1_, b_);
    return ImpactSettings{k1_, b_};
  }
  for (const char* option : {"impact-k1", "impact-b"}) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) + " is for --impacts; add that or leave it out");
    }
  }
  if (weights_) return ImpactSettings{.source = ImpactSource::kWholeWeights};
  return std::nullopt;
}

}  // namespace warpdex::tools
