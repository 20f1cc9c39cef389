# SPDX-License-Identifier: Apache-2.0
"""safetensors files that no reader may accept, and the bytes of files. The program and the Python
package have a reader each; the tests of both read this list."""
import json
import struct

ENTRY = {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}
NOTHING = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}


def file_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(data=b"ab", **changes):
    return file_of({"a": {**ENTRY, **changes}}, data)


def pairs(*named):
    """An object with these pairs, also of equal names."""
    return b"{" + b", ".join(json.dumps(name).encode() + b": " + json.dumps(value).encode()
                             for name, value in named) + b"}"


def unsummed():
    """Type, shape and bytes of tensors that are legal, of types that onefold does not read."""
    return (("F4", [2, 3], 3), ("F4", [0], 0), ("F6_E2M3", [4], 3), ("F6_E3M2", [8], 6),
            ("F8_E4M3", [3], 3), ("F8_E4M3FNUZ", [2], 2), ("F8_E5M2", [], 1),
            ("F8_E5M2FNUZ", [1], 1), ("F8_E8M0", [2, 2], 4), ("C64", [2], 16))


def hostile():
    """Names of defects, and files that have them."""
    lengths = {"empty": b"", "three bytes": b"\1\0\0", "longest": b"\xff" * 8,
               "beyond the cap": struct.pack("<Q", 100_000_001) + b"{}",
               "beyond the file": struct.pack("<Q", 90_000_000) + b"{}"}
    texts = [b"", b" {}", b"\xef\xbb\xbf{}", b"[]", b"{", b"{}{}", b"{} x", b"1", b'"a"',
             b"{'a': 1}", b'{"a": \xff}', b'{"\xff": {}}', b'{"a": NaN}', b"{/**/}", b"{}\0",
             b"{}\0x",
             b'{"a": {"dtype": x', b'{"\\ud800": ' + json.dumps(NOTHING).encode() + b"}",
             b'{"a\n": ' + json.dumps(NOTHING).encode() + b"}",
             b'{"__metadata__": {"a": "\\udc00"}}', '{"a": 1}'.encode("utf-16")]
    nested = [b'{"a":' * 100_000, b'{"a": {"dtype":' + b"[" * 100_000,
              b'{"a": {"shape": ' + b"[" * 100_000,
              b'{"__metadata__": ' + b'{"a":' * 100_000]
    fields = [("dtype", value) for value in (None, 1, [], {}, True)]
    fields += [("shape", value) for value in (
        [-1], [1.5], [2.0], [2**64], ["2"], [[2]], 2, "2", [True], None, {}, [2**63],
        [2**32, 2**32], [0, 2**63], [0, 2**32, 2**32], [1] * 64 + [2], [2**40])]
    fields += [("data_offsets", value) for value in ([2, 0], [0], [0, 2, 3], [], None, [0, "2"],
                                                     [-1, 1], [0, 2**64], [0.0, 2], 2, {})]
    fields += [("more", 1), ("dtype", "F32")]
    files = {f"length: {name}": data for name, data in lengths.items()}
    files |= {f"text: {text[:30]!r}": file_of(text) for text in texts + nested}
    files |= {f"{field}: {value!r}": entry(**{field: value}) for field, value in fields}
    files |= {f"without {field}": file_of(
        {"a": {key: value for key, value in ENTRY.items() if key != field}}, b"ab")
        for field in ENTRY}
    files |= {f"tensor: {value!r}": file_of({"a": value})
              for value in ([1], 3, None, "x", True, [])}
    files |= {f"metadata: {value!r}": file_of({"__metadata__": value})
              for value in (1, "x", None, [], {"a": 1}, {"a": {}}, {"a": ["b"]}, {"a": None})}
    second = {**ENTRY, "data_offsets": [1, 3]}
    files |= {
        "minus zero": file_of(b'{"a": {"dtype": "U8", "shape": [-0], "data_offsets": [0, 0]}}'),
        "a field twice": file_of(b'{"a": ' + pairs(("dtype", "U8"), *NOTHING.items()) + b"}"),
        "a name twice": file_of(pairs(("a", NOTHING), ("b", NOTHING), ("a", NOTHING))),
        "metadata twice": file_of(pairs(("__metadata__", {}), ("__metadata__", {}))),
        "a byte in front": entry(b"abc", data_offsets=[1, 3]),
        "another size": entry(b"abc", data_offsets=[0, 3]),
        "too few bytes": file_of({"a": ENTRY}, b"a"),
        "too many bytes": file_of({"a": ENTRY}, b"abc"),
        "data of no tensor": file_of({}, b"a"),
        "overlap": file_of({"b": second, "a": ENTRY}, b"abc"),
        "hole": file_of({"b": {**ENTRY, "data_offsets": [3, 5]}, "a": ENTRY}, b"abcde"),
        "a type that is not summed, of too many": entry(dtype="F8_E4M3", shape=[2**32, 2**32]),
    }
    # Sizes and types that the reference reader (safetensors 0.8) refuses too.
    files |= {f"{dtype} of {shape} in {size} bytes": entry(
        bytes(size), dtype=dtype, shape=shape, data_offsets=[0, size])
        for dtype, shape, size in (
            ("F8_E4M3", [400], 4), ("F8_E5M2", [1], 2), ("F8_E8M0", [], 0), ("C64", [2], 8),
            ("F4", [3], 2), ("F4", [3], 1), ("F4", [4], 1), ("F4", [], 1), ("F6_E2M3", [4], 4),
            ("F6_E3M2", [5], 3), ("F6_E3M2", [1], 1), ("F4", [2**62], 0))}
    files |= {f"type {dtype}": entry(dtype=dtype)
              for dtype in ("Z9", "u8", "", "U8 ", "F8", "F8_E3M4", "I4", "INT4", "C32", "C128")}
    return files
