// Bodies that come packed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex::server {

/// The bytes that a gzip stream stands for, at most `most`. Throws HttpError: 400 for what is no
/// gzip or cut short, 413 for more.
std::string gunzipped(std::string_view packed, std::size_t most);

}  // namespace warpdex::server
