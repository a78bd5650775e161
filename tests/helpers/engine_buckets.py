"""The buckets that engines are to find, score by score, in Python's own arithmetic."""

import math

REACH = (4, 10, 20, 40, 80, 160, 320, 640, 1024)


def engine_bucket(score, bits):
    """Shares are cut into equal parts; margins into wider ones, the farther they are from 0."""
    if 0 <= score <= 1:
        return math.floor(score * 2.0**bits)
    sign = 1 if score > 0 else -1
    if math.isinf(score):
        return sign * (len(REACH) + 1) * 2 ** (bits + 1)
    place, power = next((k, power) for k, power in enumerate(REACH, start=1) if abs(score) <= _two_to(power))
    return sign * place * 2 ** (bits + 1) + math.floor(score * 2.0 ** (bits - power))


def _two_to(power):
    return math.inf if power == 1024 else 2.0**power
