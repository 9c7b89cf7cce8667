// Turns signals into a flag.
#include "output/interrupt.hpp"

#include <atomic>

namespace warpdex::tools {
namespace {

// A handler can reach nothing but what is global.
std::atomic<int> caught_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember_signal(int signal) { caught_signal = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  caught_signal = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : remember_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;  // not SA_RESTART: a call that waits returns, and its caller looks
    sigaction(kSignals[i], nullptr, &before_[i]);
    // A signal that the parent process had ignored (nohup) stays ignored.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int InterruptGuard::signal() { return caught_signal.load(); }

void InterruptGuard::check() {
  if (const int signal = caught_signal.load(); signal != 0) throw Interrupted(signal);
}

}  // namespace warpdex::tools
