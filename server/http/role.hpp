// What a client may do.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpdex::server {

/// Each may do what those before it may.
enum class Role : std::uint8_t {
  kNone,   ///< needs no key
  kRead,   ///< searches and reads documents
  kWrite,  ///< changes documents, commits
  kAdmin,  ///< makes and removes indexes
};

/// "none", "read", "write" or "admin".
std::string_view role_name(Role role);
/// None for any other name, and for "none", which nobody has.
std::optional<Role> role_from_name(std::string_view name);

}  // namespace warpdex::server
