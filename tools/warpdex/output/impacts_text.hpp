// Describes what an index's impacts were made of, for people and in JSON.
#pragma once

#include <string>

#include "output/json.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::tools {

/// "impacts of BM25, k1 0.900, b 0.400; 255 stands for 5.1234", or how weights became impacts.
std::string impacts_text(const ImpactSettings& impacts);

/// The member "impacts" of the object that `json` is in.
void write_impacts(const ImpactSettings& impacts, JsonWriter& json);

}  // namespace warpdex::tools
