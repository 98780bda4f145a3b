# SPDX-License-Identifier: GPL-2.0
"""The versions, flavours and architectures of scripts/lib/matrix.json, for scripts in Python."""

import json
import pathlib

TOP = pathlib.Path(__file__).resolve().parents[2]
MATRIX = json.loads((TOP / "scripts/lib/matrix.json").read_text(encoding="utf-8"))
ARCHES = tuple(MATRIX["architectures"])
# Tests and campaigns take these if none is named
TESTED = tuple(arch for arch in ARCHES if MATRIX["architectures"][arch].get("tested"))


class Kernel:
    """The meaning of a kernel's name without @ or +: 6.12-small."""

    def __init__(self, name):
        self.name = name
        self.version, _, flavour = name.partition("-")
        flavour = flavour or "full"
        if flavour not in MATRIX["versions"].get(self.version, {}).get("flavours", ()):
            raise KeyError(f"no such kernel: {name}")
        entry = MATRIX["flavours"][flavour]
        self.what = entry["what"]
        self.use = entry.get("use", ())
        self._slow = entry.get("slow", 1)
        self.arches = tuple(entry.get("architectures", ARCHES))
        self.size = entry["size"]
        self.most_functions = MATRIX["sizes"][self.size]["functions"]
        # The kernel of this version and size without the series
        self.stock = f"{self.version}-stock" if self.size == "full" else f"{self.version}-{self.size}-stock"
        self.patches = TOP / f"patches/{self.version}"
        self.clang = entry.get("clang", "")
        last = MATRIX["versions"][self.version]
        # Patches on top of the series, or of the stock kernel
        extra = entry.get("patches", []) + ([] if entry.get("patched", True) else last.get("stock_patches", []))
        self.extra_patches = [TOP / path for path in extra]
        self._fragments = MATRIX["sizes"][self.size]["fragments"] + entry.get("fragments", []) \
            + (last.get("series_fragments", []) if entry.get("patched", True) else []) \
            + last.get("last_fragments", [])

    def slow(self, arch):
        """How many times longer than the small kernel of x86_64 it may take."""
        return self._slow * MATRIX["architectures"][arch].get("slow", 1)

    def defconfig(self, arch):
        return MATRIX["sizes"][self.size].get("defconfig") or MATRIX["architectures"][arch]["defconfig"]

    def fragments(self, arch):
        """The configuration fragments, the last of which wins. An architecture may have none of a kind."""
        paths = [(name, TOP / f"configs/{name.replace('{arch}', arch)}.config") for name in self._fragments]
        return [path for name, path in paths if "{arch}" not in name or path.exists()]


def kernels(use):
    """All kernels that are for this use, by name."""
    names = [version if flavour == "full" else f"{version}-{flavour}"
             for version, entry in MATRIX["versions"].items() for flavour in entry["flavours"]]
    return {name: kernel for name in names if use in (kernel := Kernel(name)).use}
