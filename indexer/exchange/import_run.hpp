// An import of any format, once its files are understood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "exchange/foreign_index.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"

namespace warpdex::exchange {

/// Called while files are read, with the bytes done and all bytes.
using OnForeignRead = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Opens an index of another program. `scratch` is a folder for temporary files.
using OpenForeign = std::function<std::unique_ptr<ForeignIndex>(
    const std::filesystem::path& scratch, const OnForeignRead& on_read)>;

/// Checks all of an index of another program and writes it at `options.output`. `fields` is for the
/// manifest. Throws as import_ciff() does.
ImportReport run_import(const ImportOptions& options, const std::string& fields,
                        const OpenForeign& open);

}  // namespace warpdex::exchange
