# Copyright the castbench authors.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)
"""Spack recipe of castbench, for Spack 1.0 and later. ../README.md says how to use it."""

import os

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Castbench(CargoPackage):
    """Exact costs of broadcasts, barriers and other collective-communication
    algorithms: analytic, simulated, measured."""

    # Choice of the packager: `homepage`, `url` and a checksum per version, once there is a source archive to fetch.
    # Without them Spack builds a checkout: `spack dev-build castbench@0.1.0`.

    license("MIT OR Apache-2.0")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("rust@1.89:", type="build")

    @property
    def build_directory(self):
        return os.path.join(self.stage.source_path, "harness")

    @property
    def build_args(self):
        return ["--locked"]

    @property
    def check_args(self):
        return ["--release", "--locked"]

    @run_after("install")
    def install_manual(self):
        castbench = Executable(self.prefix.bin.castbench)
        mkdirp(self.prefix.share.man.man1)
        with open(os.path.join(self.prefix.share.man.man1, "castbench.1"), "w") as page:
            castbench("man", output=page)
        mkdirp(bash_completion_path(self.prefix))
        with open(os.path.join(bash_completion_path(self.prefix), "castbench"), "w") as script:
            castbench("completions", "bash", output=script)
