"""Random numbers by counting: Philox4x32-10, keyed by seed and addressed by replicate and place.

A counter-based generator has no state to carry: number ``j`` of replicate ``r`` is a function of
(seed, stream, r, j). So a resample does not depend on how many threads draw, on which metrics are
asked for, or on which replicates were drawn before. Salmon et al. (2011), SC '11.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.views.compiled import compiled, inlined

BOOTSTRAP, POISSON, SWAP = np.uint64(0), np.uint64(1), np.uint64(2)
"""Streams: kinds of draws that never share numbers."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)

Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@inlined
def philox(c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, key: np.uint64) -> Words:
    """Four random 32-bit words for a counter and a 64-bit key: ten rounds."""
    k0, k1 = key & _LOW, key >> _HALF
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _LOW, (p0 >> _HALF) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@inlined
def below(high: np.uint64, low: np.uint64, n: np.uint64) -> np.uint64:
    """A whole number below n from 64 random bits (bias below n/2⁶⁴)."""
    return (high * n + ((low * n) >> _HALF)) >> _HALF


@compiled
def draw_cases(key: np.uint64, first: int, n_cases: int, counts: NDArray[Any]) -> None:
    """Fill ``counts[case, b]``: how often replicate ``first + b`` draws each case."""
    counts[:] = 0
    n = np.uint64(n_cases)
    for b in range(counts.shape[1]):
        replicate = np.uint64(first + b)
        for pair in range((n_cases + 1) // 2):
            w = philox(np.uint64(pair), BOOTSTRAP, replicate & _LOW, replicate >> _HALF, key)
            counts[int(below(w[0], w[1], n)), b] += 1
            if 2 * pair + 1 < n_cases:
                counts[int(below(w[2], w[3], n)), b] += 1


@compiled
def draw_poisson(
    key: np.uint64, first: int, cumulative: NDArray[np.float64], counts: NDArray[Any]
) -> None:
    """Fill ``counts[case, b]`` with independent Poisson(1) numbers, by inversion."""
    for b in range(counts.shape[1]):
        replicate = np.uint64(first + b)
        for case in range(counts.shape[0]):
            w = philox(np.uint64(case), POISSON, replicate & _LOW, replicate >> _HALF, key)
            u = (float(w[0]) * 4294967296.0 + float(w[1])) / 18446744073709551616.0
            count = 0
            while count < cumulative.shape[0] - 1 and u >= cumulative[count]:
                count += 1
            counts[case, b] = count


@compiled
def draw_swaps(key: np.uint64, first: int, swaps: NDArray[Any]) -> None:
    """Fill ``swaps[case, b]`` with fair coin tosses."""
    for b in range(swaps.shape[1]):
        replicate = np.uint64(first + b)
        for case in range(swaps.shape[0]):
            w = philox(np.uint64(case), SWAP, replicate & _LOW, replicate >> _HALF, key)
            swaps[case, b] = w[0] & np.uint64(1)
