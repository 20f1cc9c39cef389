# SPDX-License-Identifier: Apache-2.0
"""What devices can do: results a clock and multiprocessor, by unit, and the devices' figures.

Rates: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", by compute
capability; four warps are issued a clock on all of them. Devices: the vendor's data sheets and
white papers (Turing 2018, Ampere GA100 2020 and GA102 2021, Ada 2022, Hopper 2022, Blackwell 2024
and RTX Blackwell 2025); clocks are boost clocks. None of this was measured here, and a device that
throttles has less.
"""
from collections import namedtuple

# Units as in ptx.py. Conversions to or from 64 bits are modelled as a unit of their own.
USUAL = {"f64": 2, "cvt64": 2, "f32": 128, "cvt": 64, "int": 64, "multiply": 64, "slow": 16,
         "warp": 32, "shared": 32, "load": 32, "issue": 128}
RATES = {
    "7.5": {**USUAL, "f32": 64},
    "8.0": {**USUAL, "f64": 32, "cvt64": 16, "f32": 64},
    "8.6": USUAL,
    "8.9": USUAL,
    "9.0": {**USUAL, "f64": 64, "cvt64": 16},
    "10.0": {**USUAL, "f64": 64, "cvt64": 16},
    "12.0": {**USUAL, "int": 128},
}

# gb: memory, GB/s.
Device = namedtuple("Device", "name capability multiprocessors ghz gb")
DEVICES = (
    Device("T4", "7.5", 40, 1.59, 320),
    Device("L4", "8.9", 58, 2.04, 300),
    Device("L40S", "8.9", 142, 2.52, 864),
    Device("RTX A6000", "8.6", 84, 1.80, 768),
    Device("RTX 4090", "8.9", 128, 2.52, 1008),
    Device("RTX 5090", "12.0", 170, 2.41, 1792),
    Device("A100", "8.0", 108, 1.41, 2039),
    Device("H100", "9.0", 132, 1.98, 3350),
    Device("H200", "9.0", 132, 1.98, 4800),
    Device("B200", "10.0", 148, 1.97, 8000),
)


def ratio(device):
    """Operations of float32 for one of float64."""
    rates = RATES[device.capability]
    return rates["f32"] // rates["f64"]
