// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_OUTPUT_FILE_HPP
#define KOALESCE_EXAMPLES_OUTPUT_FILE_HPP

#include <filesystem>

namespace examples {

/// \brief A file that appears under its name only when it is complete.
///
/// Write to `temporary()`, which lies beside the target, then `commit()`. Without commit nothing remains, also
/// when the program is interrupted.
class OutputFile {
 public:
  /// \throws std::runtime_error the folder does not exist or cannot be written to, or the target is a folder.
  static void check(std::filesystem::path const& target);

  explicit OutputFile(std::filesystem::path const& target);
  ~OutputFile();
  OutputFile(OutputFile const&)            = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  std::filesystem::path const& temporary() const { return m_temporary; }

  /// Moves the temporary, which must be closed, to the target's place, once the disk has it.
  void commit();

 private:
  std::filesystem::path m_target, m_temporary;
};

}  // namespace examples

#endif
