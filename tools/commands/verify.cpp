// warpdex verify: reads all of an index and says whether it is whole.
#include "warpdex/indexer/format/verify.hpp"

#include <iostream>

#include "warpdex/tools/command.hpp"
#include "warpdex/tools/options.hpp"
#include "warpdex/tools/progress.hpp"
#include "warpdex/tools/text.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Checks an index: every section's checksum, that every list decodes, that documents ascend in\n"
    "it, and that all counts are those of the manifest. Ends with status 1 and names the section\n"
    "where something is wrong.";

}  // namespace

int run_verify(const std::vector<std::string>& arguments) {
  std::string folder;
  CommandLine command("verify", "INDEX", kAbout);
  command.add_positional("INDEX", &folder, "the folder of an index");
  if (!command.parse(arguments)) return 0;

  constexpr double kSteps = 1e6;
  Progress progress = Progress::to_standard_error();
  const VerifyReport report = verify_index(folder, [&](double share) {
    progress.update("verifying", "", static_cast<std::uint64_t>(share * kSteps),
                    static_cast<std::uint64_t>(kSteps), Progress::Unit::kSteps);
  });
  progress.clear();
  for (const std::string& problem : report.problems) std::cerr << "warpdex: " << problem << "\n";
  if (!report.ok()) {
    std::cerr << "warpdex: " << folder << " is damaged; build it again from its documents\n";
    return 1;
  }
  std::cout << folder << " is whole: " << counted(report.sections, "section") << ", "
            << counted(report.terms, "term") << ", " << counted(report.postings, "posting") << "\n";
  return 0;
}

}  // namespace warpdex::tools
