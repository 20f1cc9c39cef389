# SPDX-License-Identifier: Apache-2.0
"""Operations of the hot loop of each kernel in a PTX text, by the unit that works at them.

The hot loop is the innermost natural loop with the most loads of 16 bytes, and of the ways round it
the one with the fewest instructions that makes all its loads, and adds floats if the loop does that
anywhere. Each instruction counts as what ptxas
makes of it where that is plain: moves and halves of registers cost nothing, 64-bit integers twice,
and two logical operations or two additions in a row once (LOP3, IADD3).
"""
import collections
import re

# A 16-byte load of the elements.
LOAD = re.compile(r"ld\.global\S*\.(?:v4\.[a-z]32|v2\.[a-z]64)\b")
ADDITION = re.compile(r"(?:add|sub|mul|fma)\.(?:r[nzmp]\.)?f(?:32|64)\b")
LABEL = re.compile(r"^(\$?[\w$]+):$")
ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(")
BRACE = re.compile(r"[{}]")
FREE = ("mov", "bar", "cvta", "membar", "ret", "exit", "neg", "abs", "activemask")
LOGIC = ("and", "or", "xor", "not", "lop3")
# The word of PTX: our unit, if the type does not decide.
WORDS = {
    "popc": "slow", "clz": "slow", "bfind": "slow", "brev": "slow",
    "vote": "warp", "shfl": "warp", "redux": "warp", "match": "warp",
    "mul": "multiply", "mad": "multiply", "dp4a": "multiply", "dp2a": "multiply",
    "bra": "issue", "brx": "issue",
}
UNITS = ("f64", "cvt64", "f32", "cvt", "int", "multiply", "slow", "warp", "shared", "load", "issue")


class Block:
    def __init__(self, label):
        self.label, self.lines, self.next = label, [], []


def bodies(ptx):
    """(mangled name, text between the braces) of every kernel. Kernels contain scopes, and PTX from
    an object is not indented, so braces are counted."""
    for match in ENTRY.finditer(ptx):
        begin, depth = ptx.index("{", match.end()), 0
        for brace in BRACE.finditer(ptx, begin):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                yield match[1], ptx[begin + 1:brace.start()]
                break


def statements(body):
    for line in body.splitlines():
        line = line.split("//")[0].strip()
        if line and not line.startswith("."):
            yield line


def blocks_of(body):
    """The basic blocks in their order, with the indices of those that follow each."""
    blocks, labels = [Block("")], {}
    for line in statements(body):
        if label := LABEL.match(line):
            blocks.append(Block(label[1]))
            labels[label[1]] = len(blocks) - 1
            continue
        blocks[-1].lines.append(line)
        if re.match(r"(@!?%\w+\s+)?(bra|ret|exit|brx)\b", line):
            blocks.append(Block(""))
    for index, block in enumerate(blocks):
        last = block.lines[-1] if block.lines else ""
        if target := re.match(r"(@!?%\w+\s+)?bra(?:\.uni)?\s+([\w$]+);", last):
            block.next.append(labels[target[2]])
        leaves = re.match(r"(bra|ret|exit|brx)\b", last)
        if not leaves and index + 1 < len(blocks):
            block.next.append(index + 1)
    return blocks


def loops_of(blocks):
    """The natural loops: sets of blocks, for every edge that leads back to a block above it which
    no way round avoids."""
    before = collections.defaultdict(list)
    for index, block in enumerate(blocks):
        for after in block.next:
            before[after].append(index)
    for index, block in enumerate(blocks):
        for head in block.next:
            if head > index:
                continue
            loop, open_ = {head, index}, [index] if index != head else []
            while open_:
                for above in before[open_.pop()]:
                    if above not in loop:
                        loop.add(above)
                        open_.append(above)
            if 0 not in loop:
                yield loop


def loads_in(block):
    return sum(bool(LOAD.search(line)) for line in block.lines)


def adds(block):
    return any(ADDITION.search(line) for line in block.lines)


def shortest_way(blocks, loop, adding=False):
    """Of the ways once round a loop those with the most loads of vectors, and of those the one with
    the fewest instructions, as a list of blocks: code for few elements is off it.
    adding: of those that add floats."""
    best = {}  # block: (loads, adds, -instructions, next block) from there to the end of the round

    def visit(index, above):
        ends = [(0, False, 0, None)] if any(after <= index and after in above | {index}
                                     for after in blocks[index].next) else []
        for after in blocks[index].next:
            if after not in loop or after in above or after == index:
                continue
            if after not in best:
                visit(after, above | {index})
            if best[after] is not None:
                ends.append((*best[after][:3], after))
        way = max(ends, key=lambda end: end[:3], default=None)
        best[index] = way and (way[0] + loads_in(blocks[index]),
                               way[1] or (adding and adds(blocks[index])),
                               way[2] - len(blocks[index].lines), way[3])

    head = min(loop)
    visit(head, frozenset())
    way = []
    while head is not None:
        way.append(blocks[head])
        head = best[head][3]
    # A tile may only be looked at on the shortest way, and added after the look.
    if not adding and not any(map(adds, way)) and any(adds(blocks[i]) for i in loop):
        return shortest_way(blocks, loop, adding=True)
    return way


def hot_loop(blocks):
    """Lines of the blocks of the hot loop; None: no loop loads vectors."""
    loops = [loop for loop in loops_of(blocks) if any(loads_in(blocks[i]) for i in loop)]
    inner = [loop for loop in loops if not any(other < loop for other in loops)]
    if not inner:
        return None
    ways = [shortest_way(blocks, loop) for loop in inner]
    return [block.lines for block in max(ways, key=lambda way: sum(map(loads_in, way)))]


def unit_of(opcode):
    """(unit, how often)."""
    word, *types = opcode.split(".")
    if word in FREE or word.startswith("{") or word.startswith("}"):
        return None, 0
    wide = any(t in ("s64", "u64", "b64") for t in types)
    if word in ("ld", "st", "atom", "red"):
        return ("load" if "global" in types else "shared"), 1
    if word == "cvt":
        if "f64" in types:
            return "cvt64", 1
        return ("cvt", 1) if any(t.startswith("f") for t in types) else (None, 0)
    if "f64" in types:
        return "f64", 1
    if any(t in ("f32", "f16", "f16x2", "bf16x2") for t in types):
        return "f32", 1
    if word in WORDS:
        if WORDS[word] != "multiply":
            return WORDS[word], 1
        return "multiply", 1 if "wide" in types else 3 if wide else 1
    return "int", 2 if wide else 1


def fused(lines):
    """How many instructions of a block end up inside the next one: of two logical operations, or
    two additions of 32 bits, the second takes the first in if no other instruction reads it."""
    reads = collections.Counter(name for line in lines for name in re.findall(r"%\w+", line)[1:])
    made, count = {}, 0
    for line in lines:
        words = re.sub(r"^@!?%\w+\s+", "", line).split(None, 1)
        opcode, names = words[0], re.findall(r"%\w+", line)
        kind = opcode.split(".")[0]
        kind = "logic" if kind in LOGIC else kind
        is_add = kind in ("add", "sub") and opcode.endswith("32") and ".f" not in opcode
        if not names or not (kind == "logic" or is_add):
            continue
        kind, size = ("logic", opcode[-2:]) if kind == "logic" else ("add", "32")
        first = next((n for n in names[1:] if made.get(n) == (kind, size) and reads[n] == 1), None)
        if first is None:
            made[names[0]] = (kind, size)
        else:
            count += 2 if size == "64" else 1
    return count


def operations(blocks):
    """Counter of units in these blocks, and the bytes that they load."""
    units, loaded = collections.Counter(), 0
    for lines in blocks:
        for line in lines:
            opcode = re.sub(r"^@!?%\w+\s+", "", line).split()[0].rstrip(";")
            unit, times = unit_of(opcode)
            if re.match(r"sh[rl]\.[bsu]64\s+%\w+, %\w+, 32;", re.sub(r"\s+", " ", line)):
                unit = None  # the other half of a pair of registers
            if unit:
                units[unit] += times
            loaded += 16 * bool(LOAD.search(line))
        units["int"] -= fused(lines)
    units["issue"] = sum(units.values())
    return units, loaded


def kernels(ptx):
    """{mangled name: (units, bytes)} of the kernels with a hot loop."""
    found = {}
    for name, body in bodies(ptx):
        blocks = hot_loop(blocks_of(body))
        if blocks:
            found[name] = operations(blocks)
    return found
