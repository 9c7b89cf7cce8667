// Files of other programs. The input's first byte chooses: bit 0 CIFF or a binary collection, bit 1
// where lengths come from. The rest is the CIFF file; or the five files of a binary collection,
// each behind its size in two bytes, of which one that is 0xFFFF says that there is no such file.
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings{".docs", ".freqs", ".sizes", ".terms", ".documents"};
constexpr std::uint32_t kNoFile = 0xFFFF;

exchange::ImportOptions options_to(const fs::path& output) {
  exchange::ImportOptions options;
  options.output = output;
  options.memory = kMinBuildMemory;
  options.threads = 1;
  return options;
}

/// Imports the files at `prefix`; false if they are refused.
bool import(bool is_ciff, const fs::path& prefix, const exchange::ImportOptions& options) {
  std::error_code ignored;
  fs::remove_all(options.output, ignored);
  try {
    is_ciff ? exchange::import_ciff(prefix, options)
            : exchange::import_ds2i({prefix, {}, {}}, options);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find(prefix.string()) != std::string_view::npos,
            "the message of a file that cannot be imported names it");
    require(!fs::exists(options.output), "a file that is refused makes no index");
    return false;
  } catch (const IoError& error) {  // docs, freqs or sizes may be missing
    require(!is_ciff && std::string_view(error.what()).find(prefix.string()) != std::string::npos,
            "the message of a file that is not there names it");
    return false;
  }
  return true;
}

void export_to(bool is_ciff, const Index& index, const fs::path& prefix) {
  if (is_ciff) {
    std::ofstream out(prefix, std::ios::binary);
    exchange::export_ciff(index.folder(), "fuzz", out);
    return;
  }
  std::vector<std::ofstream> out;
  for (const char* ending : kEndings) out.emplace_back(prefix.string() + ending, std::ios::binary);
  exchange::export_ds2i(index.folder(), {out[0], out[1], out[2], out[3], out[4]});
}

/// Whether a term can stand in a file with a term a line.
bool fits_lines(const Index& index) {
  bool fits = true;
  index.for_each_term([&](std::string_view term, const PostingsEntry&) {
    fits = fits && term.find('\n') == std::string_view::npos;
  });
  return fits;
}

void check(const fs::path& folder) {
  require(verify_index(folder).ok(), "what is imported is whole");
  const Index index = Index::open(folder);
  for (const bool is_ciff : {true, false}) {
    if (!is_ciff && !fits_lines(index)) continue;
    const fs::path prefix = work_folder() / "out";
    export_to(is_ciff, index, prefix);
    const exchange::ImportOptions options = options_to(work_folder() / "again");
    require(import(is_ciff, prefix, options), "what is exported can be imported");
    const Index again = Index::open(options.output);
    for (std::size_t i = 0; i < index.section_infos().size(); ++i) {
      require(index.section_infos()[i].checksum == again.section_infos()[i].checksum,
              "what is exported and imported has the same bytes");
    }
  }
}

void run(InputBytes input) {
  const std::uint32_t choice = input.byte();
  const bool is_ciff = (choice & 1) == 0;
  exchange::ImportOptions options = options_to(work_folder() / "index");
  if ((choice & 2) != 0) options.lengths = exchange::LengthSource::kPostings;
  const fs::path prefix = work_folder() / "in";
  if (is_ciff) {
    write_file(prefix, input.rest());
  } else {
    for (const char* ending : kEndings) {
      const fs::path file = prefix.string() + ending;
      const std::uint32_t size = input.number(2);
      std::error_code ignored;
      fs::remove(file, ignored);
      if (size != kNoFile) write_file(file, input.take(size));
    }
  }
  if (import(is_ciff, prefix, options)) check(options.output);
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
