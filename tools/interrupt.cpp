// Turns signals into a flag.
#include "warpdex/tools/interrupt.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace warpdex::tools {
namespace {

// A handler can reach nothing but what is global.
std::atomic<int> caught_signal{0};
std::atomic<int> null_descriptor{-1};
std::atomic<bool> has_reader{false};
std::atomic<pthread_t> reader{};
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<pthread_t>::is_always_lock_free);

// Calls only what may be called from a handler.
extern "C" void remember_signal(int signal) {
  const int error = errno;
  const bool first = caught_signal.exchange(signal) == 0;
  if (first) {
    // Who waits for standard input (a pipe that stays silent) is woken, tries again, and finds
    // the end of /dev/null.
    if (const int null = null_descriptor.load(); null >= 0) dup2(null, STDIN_FILENO);
    if (has_reader && pthread_equal(reader.load(), pthread_self()) == 0) {
      pthread_kill(reader.load(), signal);
    }
  }
  errno = error;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  caught_signal = 0;
  has_reader = false;
  null_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  null_descriptor = null_;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : remember_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;  // not SA_RESTART: a read that waits has to end
    sigaction(kSignals[i], nullptr, &before_[i]);
    // What the parent told us to ignore (nohup) stays ignored.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  null_descriptor = -1;
  if (null_ >= 0) ::close(null_);
}

InterruptGuard::Reading::Reading() {
  reader = pthread_self();
  has_reader = true;
}

InterruptGuard::Reading::~Reading() { has_reader = false; }

int InterruptGuard::signal() { return caught_signal.load(); }

void InterruptGuard::check() {
  if (const int signal = caught_signal.load(); signal != 0) throw Interrupted(signal);
}

}  // namespace warpdex::tools
