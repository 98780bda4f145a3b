# SPDX-License-Identifier: GPL-2.0
"""Guests, for the scripts in Python: building all that one kernel's guest needs, and running commands in it."""

import functools
import hashlib
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from matrix import MATRIX, TOP
from patches import change

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "fdirect"
FAILED, USAGE, GUEST, CANNOT = 1, 2, 3, 4


class Broken(Exception):
    """Why something could not be judged, in a sentence."""


def say(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def run(what, command, log, folder=None):
    """A step that has to work, with its output in a log. If it cannot run here, nothing can."""
    say(f"{what} ...")
    with open(log, "a", encoding="utf-8") as file:
        status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder).returncode
    if status == CANNOT:
        say(f"error: {what}: {last_line(log)} (see {log.relative_to(TOP)})")
        sys.exit(CANNOT)
    if status:
        raise Broken(f"{what} failed: {last_line(log)} (see {log.relative_to(TOP)})")


def last_line(path):
    lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line]
    return (errors or lines or ["nothing was said"])[-1].strip()


def build_kernel(base, arch, out):
    """The kernel's directory. It has to build without a warning."""
    run(f"building the kernel {base} for {arch}", [TOP / "scripts/build/kernel", base, arch], out / "build.log")
    kernel = pathlib.Path(subprocess.run([TOP / "scripts/build/kernel", base, arch, "--print-dir"], stdout=subprocess.PIPE,
                                         text=True, check=True).stdout.strip())
    if not (kernel / "warnings").exists():
        raise Broken(f"nobody knows whether {kernel.name} was built without a warning: remove {kernel}")
    if warnings := (kernel / "warnings").read_text(errors="replace").splitlines():
        raise Broken(f"the kernel builds with a warning: {warnings[0].strip()}")
    return kernel


def build(base, arch, out):
    """Kernel, module, harness and selftests, as for every guest: the kernel's directory."""
    kernel = build_kernel(base, arch, out)
    log = out / "build.log"
    run(f"building the module and the harness for {base}, {arch}", [TOP / "scripts/build/build", base, arch], log)
    run(f"building the selftests for {base}, {arch}", [TOP / "scripts/build/selftests", base, arch], log)
    return kernel


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
        say(f"error: {command} is not installed\n  run: scripts/fetch/deps kernel {'clang' if clang else arch}")
        sys.exit(CANNOT)


def kernel_key(kernel, arch, patches):
    """A digest of all that a matrix.Kernel is made from, with these patches of its series."""
    sha = hashlib.sha256(f"{arch} {source(kernel.version)} {compiler(arch, kernel.clang)} {kernel.defconfig(arch)}".encode())
    for path in [*kernel.fragments(arch), *kernel.extra_patches]:
        sha.update(path.read_bytes())
    for path in patches:
        sha.update(change(path, arch).encode())
    return sha.hexdigest()


class Guest:
    """A run of a guest: its exit code, what it printed, and the log of its kernel."""

    def __init__(self, what, base, arch, out, command, limit, *options):
        say(f"{base} for {arch} runs {what} ...")
        out.mkdir(parents=True, exist_ok=True)
        with open(out / "output", "w", encoding="utf-8") as output, open(out / "log", "w", encoding="utf-8") as log:
            self.status = subprocess.run(
                [TOP / "scripts/guest/vm", "--base", base, "--arch", arch, "--timeout", str(limit), "--out", out, *options,
                 "--", *command], stdout=output, stderr=log, stdin=subprocess.DEVNULL).returncode
        self.said = last_line(out / "log") if (out / "log").stat().st_size else ""
        self.output = (out / "output").read_text(errors="replace")
        console = out / "console.log"
        self.console = console.read_text(errors="replace") if console.exists() else ""
        if self.status == USAGE:
            raise Broken(f"the guest was not started: {self.said}")


def clean_up(base, arch):
    """Removes all that was built in this directory for a kernel that goes."""
    made = [TOP / f"build/{kind}/{base}-{arch}" for kind in ("module", "selftests", "root")]
    subprocess.run(["rm", "-rf", *(f"{path}{end}" for path in made for end in ("", ".lock", ".cpio"))], check=True)
