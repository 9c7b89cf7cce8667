// A folder held open: what is opened in it is its own, wherever the folder is moved meanwhile.
// Internal.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "warpdex/core/mapped_file.hpp"

namespace warpdex {

/// Move-only. Files that were mapped live on without it.
class Folder {
 public:
  /// The folder at `path`, or none if there is nothing. Throws IoError: something else is there, or
  /// the system refuses.
  static std::optional<Folder> find(const std::filesystem::path& path);

  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

  /// The folder of that name in this one, or none. Throws IoError.
  std::optional<Folder> subfolder(const std::string& name) const;

  /// The file of that name, mapped, or none. Throws IoError.
  std::optional<MappedFile> map(std::string_view name) const;

  /// Whether this folder is what `path` leads to now.
  bool is_at(const std::filesystem::path& path) const;

  /// Whether this folder was removed while it was held.
  bool is_removed() const;

  /// As it was given, for messages.
  const std::filesystem::path& path() const { return path_; }

 private:
  Folder(int descriptor, std::filesystem::path path);
  static std::optional<Folder> find_in(int folder, const std::string& name,
                                       const std::filesystem::path& path);

  int descriptor_ = -1;
  std::filesystem::path path_;
};

}  // namespace warpdex
