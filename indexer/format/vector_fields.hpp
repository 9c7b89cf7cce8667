// Vectors as fields of a schema's JSON. Internal.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// Reads the members of a field of type vector: dimension, metric, store, and index, a kind or an
/// object of it and its settings. Throws UsageError, which begins with `named`.
vector::RowSettings read_vector_field(const rapidjson::Value& field, const std::string& named);

/// Writes these members, as read_vector_field() reads them.
void write_vector_field(const vector::RowSettings& vectors,
                        rapidjson::Writer<rapidjson::StringBuffer>& writer);

}  // namespace warpdex
