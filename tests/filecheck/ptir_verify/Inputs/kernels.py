import numpy as np


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def tail_is_lost(x):
    y = softmax(x)
    y[:, 16:] = 0
    return y
