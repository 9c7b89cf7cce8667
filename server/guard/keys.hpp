// Who may do what, by a key that comes with each request.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.hpp"
#include "http/role.hpp"

namespace warpdex::server {

/// A line of the file of keys is a role (read, write, admin), white space, and a key of 16 to 256
/// visible ASCII characters; empty lines and those that begin with # are passed over. Any thread.
class Keys {
 public:
  /// Throws InputError, which names the line but never the key, and IoError. An empty path: there
  /// are no keys, and everyone has the role admin.
  explicit Keys(std::filesystem::path file);

  bool are_needed() const { return !file_.empty(); }
  /// Reads the file again. Throws as the constructor does; the keys are then what they were.
  void reload();

  /// The role that the request's key has, in `Authorization: Bearer KEY` or `X-API-Key: KEY`; none
  /// for an unknown key, Role::kNone where there is no key. Takes the same time for each key of one
  /// length.
  std::optional<Role> role_of(const Request& request) const;

 private:
  struct Key {
    Role role = Role::kRead;
    std::string text;
  };
  using List = std::vector<Key>;

  std::shared_ptr<const List> read() const;
  std::shared_ptr<const List> current() const;

  const std::filesystem::path file_;
  mutable std::mutex mutex_;  ///< protects the next
  std::shared_ptr<const List> keys_;
};

/// Compares without telling by its time where they differ. `given`'s length may be told.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace warpdex::server
