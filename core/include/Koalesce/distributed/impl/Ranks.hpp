// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANKS_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANKS_HPP

#include <Koalesce/common/Error.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace Koalesce::Impl {

/// What each message begins with: the number of the call, and what it is.
struct HaloHeader {
  std::uint64_t call, plan;
};

/// What carries halos between devices; the order is that of preference.
enum class Transport { peers, device, mpi, host };

/// The processes of a domain: their communicator, what they have agreed on, and the plans made for it. Nothing here
/// waits longer than the time limit: then the job ends with a message.
class Ranks {
 public:
  /// Takes over the communicator.
  Ranks(MPI_Comm comm, double limit) : m_comm(comm), m_limit(limit) {
    MPI_Comm_rank(comm, &m_rank);
    MPI_Comm_size(comm, &m_size);
    char const* const check = std::getenv("KOALESCE_DISTRIBUTED_CHECK");
    m_checks                = check != nullptr && *check != 0 && std::strcmp(check, "0") != 0;
    MPI_Comm host;
    int here = 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, m_rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);
    m_one_host = here == m_size;
  }

  ~Ranks() {
    m_plans.clear();  // whose requests are of the communicator
    MPI_Comm_free(&m_comm);
  }

  Ranks(Ranks const&)            = delete;
  Ranks& operator=(Ranks const&) = delete;

  MPI_Comm comm() const { return m_comm; }
  int rank() const { return m_rank; }
  int size() const { return m_size; }
  /// Whether all run on one host.
  bool one_host() const { return m_one_host; }

  Transport transport() const { return m_transport; }
  void set_transport(Transport transport) { m_transport = transport; }

  /// Waits for requests, at most so many seconds. Returns whether all are complete.
  bool complete(std::vector<MPI_Request>& requests, double seconds) const {
    Kokkos::Timer const timer;
    for (int done = 0;;) {
      MPI_Testall(int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      if (done || timer.seconds() > seconds) return done;
      std::this_thread::yield();
    }
  }

  /// Waits for requests, or ends the job. \param[in] what  is waited for, as in "halos".
  void wait(std::vector<MPI_Request>& requests, std::string const& where, char const* what) const {
    if (complete(requests, m_limit)) return;
    std::ostringstream limit;
    limit.imbue(std::locale::classic());
    limit << m_limit;
    end(where + ", call " + std::to_string(m_calls) + " of this domain: " + what + " did not arrive within " +
        limit.str() +
        " s; another process ended, waits elsewhere, or made other calls: all must make the same calls of a domain, in "
        "the same order");
  }

  /// Ends the job unless a message is of this call.
  void check_header(std::string const& where, HaloHeader const& mine, HaloHeader const& theirs, int from) const {
    if (theirs.call == mine.call && theirs.plan == mine.plan) return;
    end(where + ", call " + std::to_string(mine.call) + " of this domain: the halo that came from rank " +
        std::to_string(from) + " is of " +
        (theirs.call == mine.call ? "another call" : "call " + std::to_string(theirs.call)) +
        "; all processes must make the same calls of a domain, in the same order");
  }

  /// Ends the job.
  [[noreturn]] void end(std::string const& why) const {
    std::cerr << "Koalesce, rank " << m_rank << " of " << m_size << ": " << why << std::endl;
    MPI_Abort(m_comm, 1);
    std::abort();
  }

  /// Runs a check of this process' arguments. The first time that processes make such a call all of them throw what one
  /// of them throws, or that their calls differ; KOALESCE_DISTRIBUTED_CHECK=1 in the environment makes it every time.
  /// \param[in] call  all that must be the same everywhere.
  template <class Check>
  void agree(std::string const& where, std::string const& call, Check const& check) {
    if (!m_checks && m_agreed.count(where + call) > 0) {
      check();
      return;
    }
    agree_always(where, call, check);
    m_agreed.insert(where + call);
  }

  /// The same every time.
  template <class Check>
  void agree_always(std::string const& where, std::string const& call, Check const& check) const {
    std::string problem;
    try {
      check();
    } catch (std::exception const& error) {  // Kokkos' and the library's, too: others wait for this process
      problem = error.what();
      if (problem.rfind(where, 0) != 0) problem = where + ": " + problem;
    }
    compare(where, call, problem);
  }

  /// The bytes of every process, in the order of ranks.
  std::vector<char> gather(void const* bytes, std::size_t count, std::string const& where) const {
    std::vector<char> all(count * std::size_t(m_size));
    std::vector<MPI_Request> request(1);
    MPI_Iallgather(bytes, int(count), MPI_BYTE, all.data(), int(count), MPI_BYTE, m_comm, request.data());
    wait(request, where, "what other processes contribute");
    return all;
  }

  /// The text of every process.
  std::vector<std::string> texts(std::string const& mine, std::string const& where) const {
    std::uint64_t const size = mine.size();
    auto const bytes         = gather(&size, sizeof(size), where);
    std::vector<std::uint64_t> sizes(std::size_t(m_size), 0);
    std::memcpy(sizes.data(), bytes.data(), bytes.size());
    std::string padded = mine;
    padded.resize(std::max<std::uint64_t>(1, *std::max_element(sizes.begin(), sizes.end())));
    auto const all = gather(padded.data(), padded.size(), where);
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < sizes.size(); ++r) texts.emplace_back(all.data() + r * padded.size(), sizes[r]);
    return texts;
  }

  /// The number of the next exchange.
  std::uint64_t next_call() { return ++m_calls; }

  /// The plan with this name, which make() makes first.
  template <class Plan, class Make>
  std::shared_ptr<Plan> plan(std::string const& name, Make const& make) {
    auto& found = m_plans[name];
    if (!found) found = make();
    return std::static_pointer_cast<Plan>(found);
  }

 private:
  /// Throws if a process has a problem, or another call than rank 0.
  void compare(std::string const& where, std::string const& call, std::string const& problem) const {
    std::string const mine      = where + call;
    std::uint64_t const facts[] = {problem.size(), std::hash<std::string>()(mine), mine.size()};
    auto const bytes            = gather(facts, sizeof(facts), where);
    auto const fact             = [&](int rank, int i) {
      std::uint64_t value;
      std::memcpy(&value, bytes.data() + sizeof(facts) * std::size_t(rank) + sizeof(value) * std::size_t(i),
                              sizeof(value));
      return value;
    };
    for (int r = 0; r < m_size; ++r)
      if (fact(r, 0) > 0) throw Error(from(r, problem, fact(r, 0), where) + " (on rank " + std::to_string(r) + ")");
    for (int r = 1; r < m_size; ++r)
      if (fact(r, 1) != fact(0, 1)) {
        auto const first = from(0, mine, fact(0, 2), where);
        auto const other = from(r, mine, fact(r, 2), where);
        fail("Koalesce::Domain", "rank ", r, " calls ", other, ", but rank 0 ", first,
             "; the processes of a domain must make the same calls, in the same order");
      }
  }

  /// A process' text.
  std::string from(int rank, std::string text, std::size_t size, std::string const& where) const {
    text.resize(size);
    std::vector<MPI_Request> request(1);
    MPI_Ibcast(text.data(), int(size), MPI_CHAR, rank, m_comm, request.data());
    wait(request, where, "another process' text");
    return text;
  }

  MPI_Comm m_comm;
  double m_limit;
  int m_rank = 0, m_size = 1;
  bool m_checks = false, m_one_host = false;
  Transport m_transport = Transport::host;
  std::uint64_t m_calls = 0;
  std::set<std::string> m_agreed;
  std::map<std::string, std::shared_ptr<void>> m_plans;
};

}  // namespace Koalesce::Impl

#endif
