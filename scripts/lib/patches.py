# SPDX-License-Identifier: GPL-2.0
"""What a kernel is made from, for scripts in Python that keep results of one."""

import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys

from matrix import MATRIX, TOP


def series(directory):
    """The paths of its patches, in their order."""
    text = (directory / "series").read_text(encoding="utf-8")
    return [directory / line for line in (re.sub("#.*", "", line).strip() for line in text.splitlines()) if line]


@functools.cache
def change(path, arch):
    """
    All that a patch changes of an architecture's kernel. A message that is reworded makes the same
    kernel, and so do documentation and the code of another architecture.
    """
    diffs = re.split("^diff --git ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    others = rf"a/(Documentation/|arch/(?!Kconfig|{MATRIX['architectures'][arch]['srcarch']}/))"
    return "".join(re.sub("^index .*\n", "", diff, flags=re.MULTILINE) for diff in diffs if not re.match(others, diff))


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


@functools.cache
def source(version):
    """The name of the directory with a kernel's source, with its version: linux-6.12.107-..."""
    return said(TOP / "scripts/fetch/kernel-source", version).rpartition("/")[2]


@functools.cache
def compiler(arch, clang):
    entry = MATRIX["architectures"][arch]
    cross = entry["cross"] if os.uname().machine != entry["machine"] else ""
    command = f"clang-{clang}" if clang else f"{cross}gcc"
    try:
        return said(command, "--version").splitlines()[0]
    except FileNotFoundError:
        name = pathlib.Path(sys.argv[0]).name
        print(f"{name}: error: {command} is not installed\n  run: scripts/fetch/deps kernel {'clang' if clang else arch}", file=sys.stderr)
        sys.exit(4)


def kernel_key(kernel, arch, patches):
    """A digest of all that a matrix.Kernel is made from, with these patches of its series."""
    sha = hashlib.sha256(f"{arch} {source(kernel.version)} {compiler(arch, kernel.clang)} {kernel.defconfig(arch)}".encode())
    for path in [*kernel.fragments(arch), *kernel.extra_patches]:
        sha.update(path.read_bytes())
    for path in patches:
        sha.update(change(path, arch).encode())
    return sha.hexdigest()
