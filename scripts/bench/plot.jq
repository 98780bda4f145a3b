# SPDX-License-Identifier: GPL-2.0
# The points and bars that scripts/bench/plot draws, from a list of records.

def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
def cost: (.running | median) / .measured;
def seconds: ((.elapsed // .running) | median) / .measured / 1e9;
def rows($benchmark; $patched): [.[] | select(.benchmark == $benchmark and .env.patched == $patched).rows[]];
def shown: if . >= 100 then "\(round) s" elif . >= 1 then "\(. * 10 | round / 10) s" else "\(. * 1e4 | round / 10) ms" end;

# Pairs of bars: {name, stock, stock_text, patched, patched_text}. Y VALUE TEXT of those of the stock
# kernel, two blank lines, those of the patched one.
def bars:
	to_entries |
	(.[] | select(.value.stock != null) | "\(.key * 3) \(.value.stock) \(.value.stock_text | @json)"), "", "",
	(.[] | select(.value.patched != null) | "\(.key * 3 + 1) \(.value.patched) \(.value.patched_text | @json)");

# Their names as gnuplot's tics
def tics: to_entries | map("\(.value.name | @json) \(.key * 3 + 0.5)") | join(", ");

# The first pair says what the bars are
def named($stock; $patched):
	if length > 0 then .[0].stock_text += "  " + $stock | .[0].patched_text += "  " + $patched else . end;

# Lines: {name, patched, dash, points}. X Y "" of each point, the name at the last one, two blank lines.
def lines:
	.[] | .name as $name | .points | sort_by(.[0]) |
	(.[:-1][] | "\(.[0]) \(.[1]) \"\""), (.[-1] | "\(.[0]) \(.[1]) \($name | @json)"), "", "";

# How gnuplot draws them: COLOUR DASH SHIFT of each. Names of ends that are near each other move apart.
def styles:
	def last: .points | max_by(.[0]) | .[1];
	map(last) as $ends | .[] | last as $y |
	(if any($ends[]; . < $y and . * 1.6 > $y) then 0.5 elif any($ends[]; . > $y and . < $y * 1.6) then -0.5 else 0 end) as $shift |
	"\(if .patched then "patched" else "stock" end) \(.dash) \($shift)";

def drawn: map(select(.points | length > 0));

def attach:
	def of($method; $functions; $step): map(select(.key.method == $method and .key.functions == $functions and .key.step == $step))[0];
	[group_by(.env.arch) | sort_by(.[0].env.arch != "x86_64")[] | .[0].env.arch as $arch |
		rows("attach"; true) as $patched | rows("attach"; false) as $stock |
		([$patched[].key.functions] | max) as $n | ("attach", "modify", "detach") as $step |
		($patched | of("hash"; $n; $step)) as $all | ($stock | of("each"; $n; $step)) as $each |
		select($all and $each) |
		{name: "\($arch)  \($step | sub("modify"; "change"))", stock: ($each | seconds * $n), patched: ($all | seconds * $n), $n, of: $each.measured} |
		.stock_text = (.stock | shown) | .patched_text = (.patched | shown)] |
	named("stock: an ops for each"; "patched: one ops for all");

# A line that describes the times of `attach`
def times:
	"time for \(map(.n) | max) functions, instructions and waiting; one instruction is 1 ns; logarithmic" +
	if any(.of < .n) then "\\n" + "an ops for each: extrapolated from \(map(.of) | min) functions" else "" end;

def call:
	def more($kind; $relevant): map(select(.key.step == "call" and .key.kind == $kind and (.key.relevant // 0) == $relevant and
		(.key.irrelevant // 0) == 0 and ([.key.save_regs, .key.recursion, .key.rcu, .key.trampoline] | any | not)))[0] |
		if . then (.running | min) / .measured - (.untraced | min) / .measured else null end;
	(rows("call"; true) + rows("bpf"; true)) as $patched | (rows("call"; false) + rows("bpf"; false)) as $stock |
	[["direct call, alone", "direct-near", "hash-near", 0], ["the same, far", "direct-far", "hash-far", 0],
	 ["beside another user", "direct-near", "hash-near", 1], ["one ops, no direct call", "ops", "ops", 1],
	 ["BPF fentry", "fentry", "fentry", 0], ["BPF fexit", "fexit", "fexit", 0]] |
	map(. as [$name, $before, $after, $relevant] |
		{$name, stock: ($stock | more($before; $relevant)), patched: ($patched | more($after; $relevant))} |
		select(.stock != null or .patched != null) |
		.stock_text = (.stock // 0 | . * 10 | round / 10 | tostring) | .patched_text = (.patched // 0 | . * 10 | round / 10 | tostring)) |
	named("stock"; "patched");

def size:
	def points($method): [.[] | select(.key.step == "attach" and .key.beside == 0 and .key.method == $method) | [.key.functions, cost]];
	rows("scale"; true) as $patched | rows("scale"; false) as $stock | rows("attach"; false) as $all |
	if $patched + $stock == [] then [] else
	[{name: "stock: an ops for each", patched: false, dash: 2, points: ($stock + $all | points("each") | unique_by(.[0]))},
	 {name: "stock: one ops, one target", patched: false, dash: 1, points: ($stock | points("multi"))},
	 {name: "patched: one ops for all", patched: true, dash: 1, points: ($patched | points("hash"))}] | drawn end;

# 0 has no place on a logarithmic scale: it stands at 100.
def beside:
	def points($method): [.[] | select(.key.step == "attach" and .key.functions == 1 and .key.method == $method) |
		[if .key.beside == 0 then 100 else .key.beside end, cost]];
	[{name: "stock: an ops for each", patched: false, dash: 1, points: (rows("scale"; false) | points("each"))},
	 {name: "patched: one ops for all", patched: true, dash: 1, points: (rows("scale"; true) | points("hash"))}] | drawn;

def bpf:
	def points($kind; $step): [.[] | select(.key.step == $step and .key.kind == $kind and .key.beside == 0) | [.key.functions, seconds]];
	rows("bpf"; true) as $patched | rows("bpf"; false) as $stock |
	[["stock", false, $stock, "fentry"], ["patched", true, $patched, "fentry"], ["one for all", true, $patched, "fentry.multi"] |
		. as [$name, $patched, $rows, $kind] | ["attach", 1], ["detach", 2] | . as [$step, $dash] |
		{name: "\($name): \($step)", $patched, $dash, points: ($rows | points($kind; $step))}] | drawn;
