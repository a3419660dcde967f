# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Koalesce(CMakePackage):
    """Views and parallel patterns for Kokkos applications that memory access, stencils or
    divergent branches hold back. Header-only."""

    # The clone that this file lies in.
    git = Path(__file__).resolve().parents[6].as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    # A release is a tag, named here with its commit, the newest first:
    # version("X.Y.Z", tag="vX.Y.Z", commit="<what git rev-parse vX.Y.Z^{commit} prints>")

    variant("tests", default=False, description="Build the unit tests; --test=root runs them")
    variant(
        "kokkos_kernels",
        default=False,
        when="+tests",
        description="Compare with Kokkos Kernels in the unit tests",
    )

    variant("mpi", default=False, description="Stencils over several processes, Koalesce::mpi")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    # Kokkos decides which backends there are. CMake lets later versions below 6 pass, too.
    depends_on("kokkos@4.6:5.2")
    conflicts("^kokkos@4 cxxstd=17", msg="Koalesce is C++20; so must Kokkos be")

    depends_on("googletest", when="+tests")
    conflicts("^kokkos@4 +cuda ~cuda_lambda", when="+tests", msg="The tests' kernels are lambdas")
    depends_on("kokkos-kernels", when="+kokkos_kernels")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        args = [
            # Dependencies are Spack's.
            self.define("Koalesce_DEBIAN_PACKAGES", False),
            self.define_from_variant("Koalesce_ENABLE_TESTS", "tests"),
            self.define_from_variant("Koalesce_ENABLE_MPI", "mpi"),
            self.define_from_variant("Koalesce_ENABLE_KOKKOS_KERNELS", "kokkos_kernels"),
        ]
        # Elsewhere the compiler is Spack's own. (A Kokkos that Spack has not built cannot tell its nvcc_wrapper: with an
        # external Kokkos for CUDA, this fails.)
        if self.spec.satisfies("^kokkos+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        elif self.spec.satisfies("^kokkos+wrapper"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args
