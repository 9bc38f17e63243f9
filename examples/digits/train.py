"""
Trains the digits MLP and writes `digits.npz` and `weights.npz` beside this file.

    pip install "ptir[train]" && python examples/digits/train.py

A 64 → 128 → 10 perceptron with ReLU on scikit-learn's 1797 handwritten digits (UCI, *Optical Recognition of
Handwritten Digits*), trained with plain NumPy from a fixed seed. 1437 images train, 360 are held out. Pixels are
0 … 16; divided by 16 they are exact in bf16. Weights are rounded to bf16 at the end, biases stay f32.

`digits.npz`   images: uint8 [1797, 64], pixels 0 … 16, divide by 16;  labels: uint8 [1797];
               held_out: bool [1797], true where training did not look
`weights.npz`  w1_bf16: uint16 [64, 128], w2_bf16: uint16 [128, 10], bit patterns of bf16 (npz has no bf16:
               `.view(ml_dtypes.bfloat16)`);  b1: float32 [128], b2: float32 [10]
"""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
from sklearn.datasets import load_digits  # pyright: ignore[reportMissingImports]

HERE = Path(__file__).parent
SEED, HIDDEN, CLASSES, EPOCHS, BATCH, RATE, DECAY = 20260101, 128, 10, 60, 64, 2e-3, 1e-4


def train(x: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """w1, b1, w2, b2 by Adam on the cross entropy."""
    params = [
        rng.normal(0, np.sqrt(2 / 64), (64, HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, CLASSES)),
        np.zeros(CLASSES),
    ]
    first, second = ([np.zeros_like(p) for p in params] for _ in range(2))
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            rows = order[start : start + BATCH]
            step += 1
            for p, g, m, v in zip(params, gradients(params, x[rows], labels[rows]), first, second, strict=True):
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                p -= RATE * (m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8) + DECAY * p)
    return params


def gradients(params: list[np.ndarray], x: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    w1, b1, w2, b2 = params
    hidden = np.maximum(x @ w1 + b1, 0)
    logits = hidden @ w2 + b2
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    slope = odds / odds.sum(axis=1, keepdims=True)
    slope[np.arange(len(x)), labels] -= 1
    slope /= len(x)
    back = (slope @ w2.T) * (hidden > 0)
    return [x.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]


def main() -> None:
    digits = load_digits()
    images, labels = digits.data.astype(np.uint8), digits.target.astype(np.uint8)
    rng = np.random.default_rng(SEED)
    held_out = np.zeros(len(images), bool)
    held_out[rng.permutation(len(images))[:360]] = True
    x = images / 16.0
    w1, b1, w2, b2 = train(x[~held_out], labels[~held_out], rng)
    w1, w2 = (w.astype(np.float32).astype(ml_dtypes.bfloat16) for w in (w1, w2))
    b1, b2 = b1.astype(np.float32), b2.astype(np.float32)

    hidden = np.maximum(x @ w1.astype(np.float64) + b1, 0)
    right = (hidden @ w2.astype(np.float64) + b2).argmax(axis=1) == labels
    print(f"accuracy: {right.mean():.4f} on all, {right[held_out].mean():.4f} on the held-out digits")

    np.savez_compressed(HERE / "digits.npz", images=images, labels=labels, held_out=held_out)
    bits = {"w1_bf16": w1.view(np.uint16), "w2_bf16": w2.view(np.uint16)}
    np.savez_compressed(HERE / "weights.npz", **bits, b1=b1, b2=b2)


if __name__ == "__main__":
    main()
