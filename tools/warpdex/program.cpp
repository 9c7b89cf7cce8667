#include "program.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "output/interrupt.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/version.hpp"

namespace warpdex::tools {
namespace {

constexpr int kFailed = 1;
constexpr int kSignalled = 128;

int dispatch(const CommandTable& table, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "--version") {
    std::cout << table.name << " " << WARPDEX_VERSION << " (" << isa_name(isa()) << ")\n";
    return 0;
  }
  return run_command(table, arguments);
}

int complain(const CommandTable& table, const std::string& sentence, int status) {
  std::cerr << table.name << ": " << sentence << "\n";
  return status;
}

int run(const CommandTable& table, const std::vector<std::string>& arguments) {
  try {
    const int status = dispatch(table, arguments);
    std::cout.flush();
    if (!std::cout) throw IoError("cannot write standard output; make room there");
    return status;
  } catch (const Interrupted& interrupted) {
    return complain(table, interrupted.what(), kSignalled + interrupted.signal());
  } catch (const UsageError& error) {
    return complain(table, error.what(), kUsageStatus);
  } catch (const std::bad_alloc&) {
    return complain(
        table, "out of memory; give the process more, or lower --memory, --threads or -k", kFailed);
  } catch (const std::exception& error) {
    return complain(table, error.what(), kFailed);
  }
}

}  // namespace

int run_program(const CommandTable& table, int count, char** values) {
  // A file that grows past the process's limit is an error to report, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  return run(table, {values + 1, values + std::max(1, count)});
}

}  // namespace warpdex::tools
