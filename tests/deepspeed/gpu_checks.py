# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What only a GPU shows; the stand-in GPU is one (SIM_DEVICES=2). Prints as api_checks.py does."""

import json
import traceback
import warnings

import torch
from count_checks import FlopsProfiler, counts, said
from torch import nn

from flopsprof.deepspeed import get_module_gpu_time


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


class _Event:
    """The n-th event happens n squared milliseconds after the first."""

    made = 0

    def __init__(self, enable_timing=False):
        assert enable_timing
        _Event.made += 1
        self.at = _Event.made**2

    def record(self):
        pass

    def query(self):
        return True

    def elapsed_time(self, other):
        return other.at - self.at


def timed(model, x, **options):
    profiler = FlopsProfiler(model, gpu_time=True, **options)
    profiler.start_profile()
    model(x)
    profiler.stop_profile()
    return profiler


def test_gpu_time_is_that_between_the_events_around_each_module():
    model = nn.Sequential(nn.Linear(8, 3), nn.ReLU()).cuda()
    own, torch.cuda.Event = torch.cuda.Event, _Event
    waits, wait = [], torch.cuda.synchronize
    torch.cuda.synchronize = lambda *args: waits.append(1) or wait(*args)
    try:
        profiler = timed(model, torch.zeros(4, 8, device="cuda"))
    finally:
        torch.cuda.Event, torch.cuda.synchronize = own, wait
    # Events 1 to 6: the model has the first and the last, the layers 2 and 3, 4 and 5.
    assert profiler.get_total_gpu_time() == 0.035 and profiler.get_total_gpu_time(True) == "35 ms"
    assert [get_module_gpu_time(part) for part in model] == [0.005, 0.009]
    assert len(waits) == 6, waits  # as without
    _, _, page = said(profiler.print_model_profile)
    layout, _, ours = page.rpartition("-" * 78 + "\nflopsprof, not DeepSpeed: ")
    profiler.gpu_time = False
    assert said(profiler.print_model_profile)[2] == layout
    rows = [line.split() for line in ours.splitlines()[-3:]]
    assert [(row[0], row[1], *row[-2:]) for row in rows] == [
        ("(model)", "Sequential", "35", "ms"), ("0", "Linear", "5", "ms"), ("1", "ReLU", "9", "ms")]  # fmt: skip
    profiler.end_profile()


def test_the_stand_ins_events_give_a_simulated_time():
    profiler = timed(nn.Linear(8, 3).cuda(), torch.zeros(4, 8, device="cuda"))
    assert 0 < profiler.get_total_gpu_time() < 10, profiler.get_total_gpu_time()
    profiler.end_profile()


def test_gpu_time_is_unknown_without_a_gpu_and_where_a_call_has_no_event():
    class Broken(_Event):
        def record(self):
            raise RuntimeError("no events here")

    model = nn.Sequential(nn.Linear(8, 3), nn.Identity()).cuda()
    own, torch.cuda.Event = torch.cuda.Event, Broken
    try:
        profiler = timed(model, torch.zeros(4, 8, device="cuda"))
    finally:
        torch.cuda.Event = own
    assert profiler.get_total_gpu_time() is None and profiler.get_total_gpu_time(True) == "unknown"
    assert profiler.get_total_macs() == 4 * 8 * 3
    assert said(profiler.print_model_profile)[2].count("unknown") == 3
    profiler.end_profile()
    profiler = timed(model.cpu(), torch.zeros(4, 8))
    assert profiler.get_total_gpu_time() is None
    profiler.end_profile()


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
