// What an input without documents must not do.
#pragma once

#include <cstdint>
#include <filesystem>

namespace warpdex::build {

/// An input that came out empty, by a failed pipe or wrong fields, must not cost an index that is
/// there; without one, an empty collection makes an empty index. Throws InputError.
void refuse_empty(std::uint64_t documents, const std::filesystem::path& output);

}  // namespace warpdex::build
