// Output files, written beside and renamed.
#include "output/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <memory>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr std::size_t kBufferSize = 1 << 20;

void write_standard_output(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw IoError("cannot write standard output: " + errno_message(errno) + "; " +
                    write_advice(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& target) : buffer_(target), stream_(&buffer_) {
  stream_.exceptions(std::ios::badbit);  // hands on what the buffer throws
}

OutputFile::Buffer::Buffer(const std::filesystem::path& target) {
  if (!target.empty() && target != "-") file_.emplace(target);
}

OutputFile::Buffer::int_type OutputFile::Buffer::overflow(int_type c) {
  if (c != traits_type::eof()) {
    const char byte = traits_type::to_char_type(c);
    xsputn(&byte, 1);
  }
  return traits_type::not_eof(c);
}

std::streamsize OutputFile::Buffer::xsputn(const char* data, std::streamsize size) {
  pending_.append(data, static_cast<std::size_t>(size));
  if (pending_.size() >= kBufferSize) write_pending();
  return size;
}

int OutputFile::Buffer::sync() {
  write_pending();
  return 0;
}

void OutputFile::Buffer::write_pending() {
  if (file_) {
    file_->append(pending_.data(), pending_.size());
  } else {
    write_standard_output(pending_);
  }
  pending_.clear();
}

void OutputFile::Buffer::write_through() {
  write_pending();
  if (file_) file_->write_through();
}

void OutputFile::Buffer::commit() {
  write_pending();
  if (file_) file_->commit();
}

void write_outputs(const std::vector<std::pair<std::string, std::string>>& outputs) {
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const auto& [target, bytes] : outputs) {
    if (target.empty()) continue;
    files.push_back(std::make_unique<OutputFile>(target));
    files.back()->stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    files.back()->write_through();
  }
  for (const auto& file : files) file->commit();
}

void write_output(const std::filesystem::path& target, std::string_view bytes) {
  OutputFile file(target);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

}  // namespace warpdex::tools
