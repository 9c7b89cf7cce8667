#include "replicas.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpdex::python {
namespace {

std::string copy_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

void bind_counters(nb::module_& module) {
  using Counters = ReplicaCounters;
  nb::class_<Counters>(module, "ReplicaCounters", "Since the beginning.")
      .def(nb::init<>())
      .def_prop_ro("messages", [](const Counters& of) { return of.messages.load(); })
      .def_prop_ro("hedges", [](const Counters& of) { return of.hedges.load(); })
      .def_prop_ro("hedges_won", [](const Counters& of) { return of.hedges_won.load(); })
      .def_prop_ro("retries", [](const Counters& of) { return of.retries.load(); })
      .def_prop_ro(
          "failures", [](const Counters& of) { return of.failures.load(); },
          "Messages without an answer.")
      .def("__repr__", [](const Counters& of) {
        return nb::str(
                   "ReplicaCounters(messages={}, hedges={}, hedges_won={}, retries={}, "
                   "failures={})")
            .format(of.messages.load(), of.hedges.load(), of.hedges_won.load(), of.retries.load(),
                    of.failures.load());
      });
}

}  // namespace

std::chrono::steady_clock::time_point time_in(double seconds) {
  constexpr double kLongest = 365 * 86400;
  const std::chrono::duration<double> some(std::clamp(seconds, 0.0, kLongest));
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(some);
}

Replicas::Replicas(std::size_t parts, std::shared_ptr<ReplicaCounters> counters, bool are_of_parts,
                   const ReplicaSettings& settings)
    : set_(std::make_unique<std::shared_ptr<ReplicaSet>>(std::make_shared<ReplicaSet>(
          parts, settings, std::move(counters),
          are_of_parts ? ReplicaSet::FindFault(fault_of_copy) : ReplicaSet::FindFault()))) {}

void Replicas::take(const std::vector<std::vector<std::string>>& names) const {
  set_.get()->take(names);
}

void Replicas::close() const { set_.get()->close(); }

nb::object Replicas::next(std::uint64_t sent) const {
  ReplicaSet& set = *set_.get();
  std::optional<ReplicaCall> call;
  {
    const nb::gil_scoped_release no_gil;
    call = set.next(sent);
  }
  if (!call) return nb::none();
  return nb::make_tuple(call->number, call->part, to_str(call->name), bytes_of(*call->bytes));
}

nb::list Replicas::ask(const std::vector<std::pair<std::uint32_t, nb::bytes>>& messages,
                       double seconds) const {
  ReplicaSet& set = *set_.get();
  std::vector<PartMessage> given;
  for (const auto& [part, bytes] : messages) given.push_back({part, copy_of(bytes)});
  std::vector<ReplicaReply> replies;
  {
    const nb::gil_scoped_release no_gil;
    replies = set.ask(std::move(given), time_in(seconds));
  }
  nb::list found;
  for (const ReplicaReply& reply : replies) {
    found.append(nb::make_tuple(bytes_of(reply.bytes), to_str(reply.failure)));
  }
  return found;
}

void Replicas::answered(std::uint64_t call, const nb::bytes& bytes) const {
  ReplicaSet& set = *set_.get();
  std::string answer = copy_of(bytes);
  const nb::gil_scoped_release no_gil;
  set.answered(call, std::move(answer));
}

void Replicas::failed(std::uint64_t call, const std::string& why, bool lacks_version) const {
  ReplicaSet& set = *set_.get();
  const nb::gil_scoped_release no_gil;
  set.failed(call, why, lacks_version);
}

void bind_replicas(nb::module_& module) {
  bind_counters(module);
  nb::class_<Replicas>(module, "ReplicaSet", "The replicas of all parts.")
      .def(
          "__init__",
          [](Replicas* made, std::size_t parts, std::shared_ptr<ReplicaCounters> counters,
             bool are_of_parts, double hedge_rank, double first_hedge, std::uint32_t samples,
             std::uint32_t window, double hedge_share, double retry_pause, double rest,
             double longest_rest, double abandon) {
            new (made) Replicas(parts, std::move(counters), are_of_parts,
                                {hedge_rank, first_hedge, samples, window, hedge_share, retry_pause,
                                 rest, longest_rest, abandon});
          },
          nb::arg("parts"), nb::arg("counters"), nb::arg("are_of_parts"), nb::kw_only(),
          nb::arg("hedge_rank"), nb::arg("first_hedge"), nb::arg("samples"), nb::arg("window"),
          nb::arg("hedge_share"), nb::arg("retry_pause"), nb::arg("rest"), nb::arg("longest_rest"),
          nb::arg("abandon"))
      .def("take", &Replicas::take)
      .def("close", &Replicas::close)
      .def("next", &Replicas::next,
           "Waits for the next message to send: its number, part, replica and bytes. None: it is "
           "closed. `sent`: the number of the last one of this thread, or 0.")
      .def("ask", &Replicas::ask)
      .def("answered", &Replicas::answered)
      .def("failed", &Replicas::failed);
}

}  // namespace warpdex::python
