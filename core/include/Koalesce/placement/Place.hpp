// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_PLACE_HPP
#define KOALESCE_PLACEMENT_PLACE_HPP

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce {

/// Where an array of a kernel lies. `thread_memory` is the thread's stack for a length of up to 32 KiB that is known
/// when the kernel is compiled, otherwise global memory in which elements of neighboring threads are adjacent.
enum class Place { scratch, registers, thread_memory, global_memory };

/// The name that logs show. The tuning file and tuning tools have its first letter.
constexpr char const* to_string(Place place) {
  switch (place) {
    case Place::scratch: return "scratch";
    case Place::registers: return "registers";
    case Place::thread_memory: return "thread memory";
    case Place::global_memory: return "global memory";
  }
  return "";
}

/// What the search knows of an array.
struct PlacementArray {
  std::string name;       ///< as declared
  double count  = 0;      ///< accesses, of a thread or a team: only which array has more matters
  bool threads  = true;   ///< whether one element is touched by more than one thread
  bool constant = false;  ///< whether the length is known when the kernel is compiled, and no more than 32 KiB
};

/// \brief A place for each array of a kernel, in the order in which the arrays were declared.
class Placement {
 public:
  Placement() = default;
  /// The same place for so many arrays.
  explicit Placement(std::size_t arrays, Place place = Place::scratch) : m_places(arrays, place) {}
  /// A place per array.
  explicit Placement(std::vector<Place> places) : m_places(std::move(places)) {}
  /// The same: `Placement{Place::scratch, Place::registers}`.
  Placement(std::initializer_list<Place> places) : m_places(places) {}

  /// Number of arrays.
  std::size_t size() const { return m_places.size(); }
  /// Whether there are no arrays.
  bool empty() const { return m_places.empty(); }
  /// Where the array with this number lies, in the order of declaration.
  Place& operator[](std::size_t array) { return m_places[array]; }
  /// The same, to be read.
  Place operator[](std::size_t array) const { return m_places[array]; }
  /// The first array's place.
  auto begin() const { return m_places.begin(); }
  /// Behind the last array's place.
  auto end() const { return m_places.end(); }

  /// Whether both have as many arrays, in the same places.
  friend bool operator==(Placement const&, Placement const&) = default;

 private:
  std::vector<Place> m_places;
};

/// "tile: scratch, next: registers"; "no arrays" if there are none.
inline std::string to_string(Placement const& placement, std::vector<PlacementArray> const& arrays) {
  std::string text;
  for (std::size_t a = 0; a < placement.size(); ++a)
    text += (a == 0 ? "" : ", ") + (a < arrays.size() ? arrays[a].name : "array " + std::to_string(a)) + ": " +
            to_string(placement[a]);
  return text.empty() ? "no arrays" : text;
}

/// \brief The place to which a search moves an array from scratch memory.
/// \param[in] threads   whether one element is touched by more than one thread.
/// \param[in] constant  whether the length is known when the kernel is compiled, and no more than 32 KiB.
constexpr Place promoted_place(bool threads, bool constant) {
  if (threads) return Place::global_memory;
  return constant ? Place::registers : Place::thread_memory;
}
/// The same for what the search knows of an array.
inline Place promoted_place(PlacementArray const& array) { return promoted_place(array.threads, array.constant); }

}  // namespace Koalesce

#endif
