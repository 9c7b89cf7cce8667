// Random messages between parts, and their headers mended after a change.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace warpdex::test {

using Random = std::mt19937_64;

/// One message of each kind, and random ones of those with lists.
std::vector<std::string> draw_messages(Random& random);

/// The message with the size and checksum in its header that fit its bytes.
std::string mended(std::string message);

/// Reads a message by its kind, and writes it again. Throws FormatError.
std::string read_and_write(const std::string& message);

}  // namespace warpdex::test
