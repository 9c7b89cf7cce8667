// Parses command lines by Boost.Program_options and words the errors.
#include "options/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_descriptor.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::tools {
namespace {

constexpr unsigned kHelpWidth = 100;
constexpr unsigned kHelpTextWidth = 64;

// Options are spelled out: a prefix that is unique today may not be so tomorrow.
constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

// Where arguments go that no option and no positional argument takes; nobody types this name.
constexpr const char* kSurplus = "(surplus)";

/// Whether a text is a number from its first character to its last, of whatever size.
bool is_number(const std::string& text, bool is_fraction) {
  if (!is_fraction && text.find_first_not_of("+-0123456789") != text.npos) return false;
  double number = 0;
  const char* const end = text.data() + text.size();
  const bool has_plus = text.starts_with('+') && !text.starts_with("+-");
  const std::from_chars_result read = std::from_chars(text.data() + has_plus, end, number);
  return read.ec != std::errc::invalid_argument && read.ptr == end;
}

/// A command as it is typed. Those of other programs are named with their program.
std::string called(const std::string& name) {
  return name.starts_with("warpdex") ? name : "warpdex " + name;
}

/// The option as it is typed: "--seed", "-k".
std::string typed_name(const std::string& key) {
  const std::string name = key.substr(std::min(key.find_first_not_of('-'), key.size()));
  return (name.size() == 1 ? "-" : "--") + name;
}

/// Refuses an option that stands where another one's text should: "--output --quiet".
void check_not_swallowed(const po::options_description& known,
                         const std::vector<po::option>& given) {
  for (const po::option& option : given) {
    if (option.position_key >= 0 || option.string_key.empty()) continue;
    // --output=--quiet is one token and meant so.
    if (option.original_tokens.size() < 2 || !option.original_tokens[1].starts_with("--")) continue;
    const auto* const typed = dynamic_cast<const po::typed_value_base*>(
        known.find(option.string_key, false).semantic().get());
    if (typed == nullptr || (typed->value_type() != typeid(std::string) &&
                             typed->value_type() != typeid(std::vector<std::string>))) {
      continue;
    }
    const std::string& value = option.original_tokens[1];
    throw UsageError(option.original_tokens[0] + " has no value, since '" + value +
                     "' looks like an option; if it is meant, write " + option.original_tokens[0] +
                     "=" + value);
  }
}

/// Refuses numbers below 0 for options that are unsigned, which would wrap around to large ones.
void check_unsigned(const po::options_description& known, const std::vector<po::option>& given) {
  for (const po::option& option : given) {
    if (option.position_key >= 0 || option.value.empty()) continue;
    const auto* const typed = dynamic_cast<const po::typed_value_base*>(
        known.find(option.string_key, false).semantic().get());
    const std::string& value = option.value.front();
    if (typed == nullptr || typed->value_type() != typeid(std::uint64_t)) continue;
    if (!value.starts_with('-') || !is_number(value, false)) continue;
    throw UsageError(typed_name(option.string_key) + " takes a whole number from 0 on, not " +
                     value);
  }
}

[[noreturn]] void refuse_empty(const std::string& option) {
  throw UsageError(typed_name(option) + " is empty; give it a value, or leave it out");
}

/// Refuses empty texts, which no option has a use for. What --input and --output of a command want,
/// that says itself.
void check_not_empty(const po::options_description& known, const std::vector<po::option>& given) {
  for (const po::option& option : given) {
    if (option.position_key >= 0 || option.string_key == "input" || option.string_key == "output") {
      continue;
    }
    const auto* const typed = dynamic_cast<const po::typed_value_base*>(
        known.find(option.string_key, false).semantic().get());
    const bool is_text =
        typed != nullptr && (typed->value_type() == typeid(std::string) ||
                             typed->value_type() == typeid(std::vector<std::string>));
    const bool is_empty =
        std::any_of(option.value.begin(), option.value.end(),
                    [](const std::string& value) { return trimmed(value).empty(); });
    if (!is_text || !is_empty) continue;
    refuse_empty(option.string_key);
  }
}

/// The complaint about a value that an option's type of number could not be read from; other values
/// always can be read.
UsageError refused_value(const po::invalid_option_value& error,
                         const po::options_description& known,
                         const std::vector<po::option>& given) {
  const std::string name = typed_name(error.get_option_name());
  std::string value;
  bool is_fraction = false;
  for (const po::option& option : given) {
    if (typed_name(option.string_key) != name || option.value.empty()) continue;
    value = option.value.front();  // the first is refused, if there are several
    const po::option_description& declared = known.find(option.string_key, false);
    const auto& typed = dynamic_cast<const po::typed_value_base&>(*declared.semantic());
    is_fraction = typed.value_type() == typeid(double) || typed.value_type() == typeid(float);
    break;
  }
  if (!is_number(value, is_fraction)) {
    return UsageError(name + " takes a " + (is_fraction ? "" : "whole ") + "number, not '" + value +
                      "'");
  }
  return UsageError(name + " takes a " + (value.front() == '-' ? "larger" : "smaller") +
                    " number than '" + value + "'");
}

}  // namespace

po::options_description option_group(const std::string& caption) {
  return po::options_description(caption, kHelpWidth, kHelpTextWidth);
}

CommandLine::CommandLine(std::string name, std::string synopsis, std::string about,
                         std::string notes)
    : name_(std::move(name)),
      synopsis_(std::move(synopsis)),
      about_(std::move(about)),
      notes_(std::move(notes)),
      shown_(kHelpWidth, kHelpTextWidth) {}

void CommandLine::add(const po::options_description& group) { shown_.add(group); }

void CommandLine::add_positional(const std::string& name, std::string* target,
                                 const std::string& help) {
  positional_options_.add_options()(name.c_str(), po::value(target)->required());
  positional_.add(name.c_str(), 1);
  positional_help_.emplace_back(name, help);
}

void CommandLine::add_rest(const std::string& name, std::vector<std::string>* target,
                           const std::string& help) {
  positional_options_.add_options()(name.c_str(), po::value(target));
  positional_.add(name.c_str(), -1);
  takes_rest_ = true;
  positional_help_.emplace_back(name, help);
}

bool CommandLine::parse(const std::vector<std::string>& arguments) {
  po::options_description general = option_group("General");
  general.add_options()("help,h", "print this and exit");
  shown_.add(general);
  if (!takes_rest_) {
    positional_options_.add_options()(kSurplus, po::value<std::vector<std::string>>());
    positional_.add(kSurplus, -1);
  }
  po::options_description all;
  all.add(shown_).add(positional_options_);
  po::parsed_options parsed(&all);
  try {
    parsed =
        po::command_line_parser(arguments).options(all).positional(positional_).style(kStyle).run();
    check_not_swallowed(all, parsed.options);
    check_not_empty(all, parsed.options);
    check_unsigned(all, parsed.options);
    po::store(parsed, values_);
    if (values_.count("help") != 0) {
      print_help();
      return false;
    }
    if (values_.count(kSurplus) != 0) {
      throw UsageError("'" + values_[kSurplus].as<std::vector<std::string>>().front() +
                       "' belongs to no option; " +
                       (surplus_advice_.empty() ? help_advice() : surplus_advice_));
    }
    po::notify(values_);
  } catch (const po::required_option& error) {
    std::string option = error.get_option_name();
    for (const auto& [positional, help] : positional_help_) {
      if (option == "--" + positional) option = positional + " (" + help + ")";
    }
    throw UsageError(option + " is missing; " + help_advice());
  } catch (const po::invalid_option_value& error) {
    throw refused_value(error, all, parsed.options);
  } catch (const po::unknown_option& error) {
    throw UsageError(std::string(error.what()) + "; " +
                     (takes_rest_ ? "an argument that begins with a dash follows --; " : "") +
                     help_advice());
  } catch (const po::invalid_syntax& error) {
    if (error.kind() == po::invalid_syntax::empty_adjacent_parameter)
      refuse_empty(error.get_option_name());
    throw UsageError(std::string(error.what()) + "; " + help_advice());
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "; " + help_advice());
  }
  return true;
}

bool CommandLine::given(const std::string& option) const {
  const auto found = values_.find(option);
  return found != values_.end() && !found->second.defaulted();
}

std::string CommandLine::help_advice() const {
  return "'" + called(name_) + " --help' lists what " + name_ + " takes";
}

void CommandLine::print_help() const {
  std::cout << "usage: " << called(name_) << " " << synopsis_ << "\n\n" << about_ << "\n";
  if (!positional_help_.empty()) std::cout << "\n";
  for (const auto& [positional, help] : positional_help_) {
    std::cout << "  " << positional << ": " << help << "\n";
  }
  std::cout << shown_;
  if (!notes_.empty()) std::cout << "\n" << notes_ << "\n";
}

void add_threads_option(po::options_description& group, std::int64_t* threads) {
  group.add_options()("threads", po::value(threads)->value_name("N")->default_value(*threads),
                      "threads to work with; 0: all");
}

po::typed_value<std::string>* output_value(std::string* target) {
  return po::value(target)->notifier([target](const std::string& given) {
    const std::optional<OpenDescriptor> named = open_descriptor_of(given);
    if (named && named->is_own && named->number == STDOUT_FILENO) *target = "-";
  });
}

void add_json_option(po::options_description& group, const std::string& what, std::string* path) {
  const std::string help =
      "also write the " + what + " there; - is standard output, and then nothing else is";
  group.add_options()("json", output_value(path)->value_name("FILE"), help.c_str());
}

void add_quiet_option(po::options_description& group, bool* quiet) {
  group.add_options()("quiet", po::bool_switch(quiet),
                      "no progress and no report; errors and notes are still told");
}

void check_shared_stream(const std::string& stream,
                         std::initializer_list<std::pair<const char*, std::string>> options) {
  std::string first;
  for (const auto& [option, value] : options) {
    if (value != "-") continue;
    if (!first.empty()) {
      throw UsageError(first + " and " + option + " are both '-', but only one can be " + stream +
                       "; name a file for the other");
    }
    first = option;
  }
}

void check_inputs_named(const std::vector<std::string>& inputs) {
  if (std::find(inputs.begin(), inputs.end(), "") == inputs.end()) return;
  throw UsageError("--input is empty; name a file or a folder");
}

std::uint32_t checked_number(const std::string& option, std::int64_t value, std::int64_t low,
                             std::int64_t high) {
  if (value < low || value > high) {
    throw UsageError(option + " takes a whole number from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not " + std::to_string(value));
  }
  return static_cast<std::uint32_t>(value);
}

std::uint32_t whole_number_of(const std::string& option, const std::string& text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number == 0) {
    throw UsageError(option + " takes whole numbers from 1 to " +
                     std::to_string(std::numeric_limits<std::uint32_t>::max()) + ", not '" + text +
                     "'");
  }
  return number;
}

std::uint32_t checked_threads(std::int64_t value) {
  return checked_number("--threads", value, 0, 1024);
}

std::uint64_t parse_size(const std::string& option, const std::string& text) {
  const auto refuse = [&]() -> UsageError {
    return UsageError(option + " takes a size such as 512M or 2GiB, not '" + text + "'");
  };
  if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0]))) throw refuse();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit(end);
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  double scale = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power = std::string("KMGT").find(unit[0]);
    const std::string suffix = unit.substr(1);
    if (power == std::string::npos) throw refuse();
    if (suffix != "" && suffix != "B" && suffix != "IB") throw refuse();
    scale = std::pow(suffix == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  const double bytes = number * scale;
  if (!(bytes < 9e18)) {
    throw UsageError(option + " takes a smaller size than '" + text + "'");
  }
  return static_cast<std::uint64_t>(bytes);
}

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
  std::vector<std::string> parts = split_list(text);
  if (parts.empty() && !text.empty()) {
    throw UsageError(option + " names nothing; give one or more, with commas between them");
  }
  return parts;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view part = trimmed(std::string_view(text).substr(start, comma - start));
    if (!part.empty()) parts.emplace_back(part);
    start = comma + 1;
  }
  return parts;
}

}  // namespace warpdex::tools
