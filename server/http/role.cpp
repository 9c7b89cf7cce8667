#include "http/role.hpp"

namespace warpdex::server {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::kNone: return "none";
    case Role::kRead: return "read";
    case Role::kWrite: return "write";
    case Role::kAdmin: return "admin";
  }
  return "";
}

std::optional<Role> role_from_name(std::string_view name) {
  for (const Role role : {Role::kRead, Role::kWrite, Role::kAdmin}) {
    if (role_name(role) == name) return role;
  }
  return std::nullopt;
}

}  // namespace warpdex::server
