// Words and members for the settings of impacts.
#include "output/impacts_text.hpp"

#include <array>
#include <cstdio>

#include "output/text.hpp"

namespace warpdex::tools {
namespace {

/// Weights may be far below 1, or far above.
std::string significant(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.6g", value);
  return digits.data();
}

}  // namespace

std::string impacts_text(const ImpactSettings& impacts) {
  switch (impacts.source) {
    case ImpactSource::kWholeWeights:
      return "weights as they were given, whole numbers from 1 to 255";
    case ImpactSource::kQuantisedWeights:
      return "weights in 255 equal steps; 255 stands for " + significant(impacts.largest) +
             ", the largest";
    case ImpactSource::kBm25: break;
  }
  return "impacts of BM25, k1 " + fixed(impacts.k1, 3) + ", b " + fixed(impacts.b, 3) +
         "; 255 stands for " + fixed(impacts.largest, 4);
}

void write_impacts(const ImpactSettings& impacts, JsonWriter& json) {
  json.begin_object("impacts");
  if (impacts.source == ImpactSource::kBm25) {
    json.member("k1", impacts.k1);
    json.member("b", impacts.b);
  } else {
    json.member("weights", impacts.source == ImpactSource::kWholeWeights ? "whole" : "quantised");
  }
  json.member("largest", impacts.largest);
  json.end_object();
}

}  // namespace warpdex::tools
