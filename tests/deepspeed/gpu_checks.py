# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What only a GPU shows; the stand-in GPU is one (SIM_DEVICES=2). Prints as api_checks.py does."""

import json
import traceback
import warnings

import torch
from count_checks import FlopsProfiler, counts, said
from torch import nn


def hooked(layer) -> nn.Module:
    """A hook takes the layer's formula away, so its operator is counted."""
    layer.register_forward_hook(lambda module, args, out: None)
    return layer.cuda()


def macs_of(layer, x) -> dict:
    found = {}
    for training in (True, False):
        model = hooked(layer) if not layer._forward_hooks else layer
        profiler = FlopsProfiler(model.train(training))
        profiler.start_profile()
        model(x)
        assert not profiler.uncounted_operators(), profiler.uncounted_operators()
        found[training] = profiler.get_total_macs()
        profiler.end_profile()
    return found


def both(number) -> dict:
    return {True: number, False: number}


# Gates of 20 hidden units: 80. A token meets 80 x (10 + 20) weights.
def test_an_lstm_of_cudnn_by_hand():
    x = torch.zeros(5, 3, 10, device="cuda")
    assert macs_of(nn.LSTM(10, 20), x) == both(15 * 80 * 30)


def test_a_bidirectional_lstm_of_cudnn_by_hand():
    x = torch.zeros(5, 3, 10, device="cuda")
    assert macs_of(nn.LSTM(10, 20, bidirectional=True), x) == both(2 * 15 * 80 * 30)


def test_a_packed_lstm_of_cudnn_by_hand():
    x = torch.zeros(5, 3, 10, device="cuda")
    packed = nn.utils.rnn.pack_padded_sequence(x, [4, 3, 2])
    assert macs_of(nn.LSTM(10, 20), packed) == both((4 + 3 + 2) * 80 * 30)


def test_an_lstm_of_cudnn_with_a_projection_by_hand():
    # A layer has 80 x (what comes in + 7) and the projection's 7 x 20; the second gets 2 x 7.
    layer = nn.LSTM(10, 20, num_layers=2, bidirectional=True, proj_size=7)
    macs = 15 * 2 * (80 * (10 + 7) + 140 + 80 * (14 + 7) + 140)
    assert macs == 99600
    assert macs_of(layer, torch.zeros(5, 3, 10, device="cuda")) == both(macs)


def test_a_gru_of_cudnn_by_hand():
    assert macs_of(nn.GRU(10, 20), torch.zeros(5, 3, 10, device="cuda")) == both(15 * 60 * 30)


def test_data_parallel_on_two_devices_is_told():
    model = nn.DataParallel(nn.Linear(8, 3).cuda(), device_ids=[0, 1])
    _, log, _ = said(lambda: counts(model, torch.zeros(4, 8, device="cuda")))
    assert "DataParallel" in log, log


def test_the_device_is_waited_for_before_and_after_a_module():
    waits, own = [], torch.cuda.synchronize
    torch.cuda.synchronize = lambda *args: waits.append(1) or own(*args)
    try:
        counts(nn.Linear(8, 3).cuda(), torch.zeros(4, 8, device="cuda"), warm_up=0)
    finally:
        torch.cuda.synchronize = own
    assert len(waits) == 2, waits


def main() -> None:
    warnings.simplefilter("ignore")
    results = {}
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            try:
                check()
                results[name] = None
            except Exception:
                results[name] = traceback.format_exc(limit=-3)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
