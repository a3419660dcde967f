# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spack_recipe.py <project>: the Spack recipe runs, with stand-ins for Spack's functions, and agrees with the build."""

import pathlib
import re
import runpy
import sys
import types

root = pathlib.Path(sys.argv[1]).resolve()
calls = []


def stand_in(name):
    return lambda *args, **options: calls.append((name, args, options))


class Spec:
    """Satisfies one condition, or none; has one dependency with a compiler."""

    def __init__(self, condition):
        self.condition = condition

    def satisfies(self, condition):
        return condition == self.condition

    def __getitem__(self, _):
        return types.SimpleNamespace(hipcc="hipcc")


class Package:
    def __init__(self, condition):
        self.spec = Spec(condition)

    define = define_from_variant = staticmethod(lambda name, value: (name, value))

    def __getitem__(self, _):
        return types.SimpleNamespace(kokkos_cxx="nvcc_wrapper")


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


module("spack")
module("spack.package", **{name: stand_in(name) for name in ("conflicts", "depends_on", "license", "variant", "version")})
for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    module(name)
module("spack_repo.builtin.build_systems.cmake", CMakePackage=Package)

(recipe,) = root.glob("packaging/spack/spack_repo/*/packages/koalesce/package.py")
recipe_class = runpy.run_path(str(recipe))["Koalesce"]
variants = {args[0] for name, args, _ in calls if name == "variant"}
dependencies = [args[0] for name, args, _ in calls if name == "depends_on"]

assert recipe_class.git == root.as_uri(), recipe_class.git
namespace = recipe.parents[2].name
assert f"namespace: {namespace}\n" in (recipe.parents[2] / "repo.yaml").read_text(), namespace

# Options of the recipe are options of the build; variants that set them are there.
build = "".join(path.read_text() for path in [root / "CMakeLists.txt", *root.glob("cmake/*.cmake")])
arguments = recipe_class(None).cmake_args()
assert len(arguments) == 4, arguments
for name, value in arguments:
    assert re.search(rf"(option|set)\({name} ", build), name
    assert value is False or value in variants, value

# Kokkos' compiler, where it is not Spack's.
for condition, compiler in {"^kokkos+rocm": "hipcc", "^kokkos+wrapper": "nvcc_wrapper"}.items():
    assert recipe_class(condition).cmake_args() == [*arguments, ("CMAKE_CXX_COMPILER", compiler)], condition

# Both ask for the same Kokkos and CMake, at least.
first = re.search(r"_koalesce_kokkos_first ([0-9.]+)\)", build)[1]
assert any(d.startswith(f"kokkos@{first}:") for d in dependencies), dependencies
cmake = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", build)[1]
assert f"cmake@{cmake}:" in dependencies, dependencies
