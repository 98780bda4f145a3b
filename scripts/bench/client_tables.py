# SPDX-License-Identifier: GPL-2.0
"""The tables of the results of scripts/bench/clients, in Markdown."""

import statistics

STEPS = ("start", "stop")
# The parts of a step, as far as the system calls of a client tell
PARTS = {"user": "user space", "load": "loading", "attach": "attaching", "detach": "detaching", "idle": "waiting"}


def median(result, step, what):
    """Of all runs, in seconds."""
    return statistics.median(run[step][what] for run in result["runs"]) / 1e9


def seconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:,.1f}"


def ratio(stock, patched):
    value = stock / patched
    return f"{value:.2f}x" if value < 10 else f"{value:,.0f}x"


def rows(head, numbers_from, lines):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---" if place < numbers_from else "---:" for place in range(len(head))) + "|"
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def by_name(kernel):
    return {client["name"]: client for client in kernel["clients"]}


def both(stock, patched, names):
    """The results of each client on both kernels; those that were not measured on one have no runs there."""
    old, new = by_name(stock), by_name(patched)
    for name in names or new:
        yield name, old.get(name, {"runs": []}), new.get(name, {"runs": []})


def headline(stock, patched, names):
    """Seconds from the start to the last function, from Ctrl-C to the exit, and of all of it."""
    for name, old, new in both(stock, patched, names):
        if not new.get("runs"):
            continue
        line = [f"`{name}`", f"{new['runs'][0]['functions']:,}"]
        sums = {"old": 0, "new": 0}
        for step in STEPS:
            after = median(new, step, "elapsed")
            before = median(old, step, "elapsed") if old.get("runs") else None
            sums["new"] += after
            sums["old"] += before or 0
            line += [seconds(before) if before is not None else "-", seconds(after)]
        line += [ratio(sums["old"], sums["new"]) if old.get("runs") else ""]
        yield line


def split(stock, patched, names):
    """Millions of instructions and the parts of both steps, on both kernels."""
    for name, old, new in both(stock, patched, names):
        for step in STEPS:
            for kernel, result in (("stock", old), ("patched", new)):
                if not result.get("runs"):
                    continue
                done = median(result, step, "elapsed") - median(result, step, "idle")
                yield [f"`{name}`", step, kernel, f"{done * 1e3:,.0f}",
                       *(seconds(median(result, step, part)) for part in PARTS)]


def notes(stock, patched, names):
    """Lines on clients that were not measured, and on functions that were left out."""
    for name, old, new in both(stock, patched, names):
        for kernel, result in (("stock", old), ("patched", new)):
            if result.get("skipped"):
                yield f"- {name}, {kernel}: not measured, {result['skipped']}"
            left_out = sorted({function for run in result.get("runs", ()) for function in run["left_out"]})
            if left_out:
                yield f"- {name}, {kernel}: left out, since the client refuses them: {', '.join(left_out)}"


def markdown(stock, patched, options):
    """The tables of two kernels: all of them, or with `headline` the first one, of clients whose names follow."""
    only_headline = options[:1] == ["headline"]
    names = options[1:]
    text = list(rows(["client", "functions", "start, stock (s)", "start, patched", "stop, stock", "stop, patched", "stock / patched"], 1,
                     headline(stock, patched, names)))
    if not only_headline:
        text += ["", *rows(["client", "step", "kernel", "instructions (M)", *(f"{part} (s)" for part in PARTS.values())], 3,
                           split(stock, patched, names))]
        text += ["", f"- {patched['arch']}, {stock['base']} and {patched['base']}"]
        packages = {name: version for client in patched["clients"] for name, version in client.get("packages", {}).items()}
        text += [f"- {', '.join(f'{name} {version}' for name, version in sorted(packages.items()))}"]
        text += notes(stock, patched, names)
    return "\n".join(text) + "\n"
