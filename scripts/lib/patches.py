# SPDX-License-Identifier: GPL-2.0
"""The changes that the patches of a series make, for scripts in Python that keep results of a kernel."""

import functools
import re

from matrix import MATRIX


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
