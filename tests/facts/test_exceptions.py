"""The statement that a traceback shows at a frame."""

from __future__ import annotations

import pytest

from logsense.facts.exceptions import code_at, exception_fact
from logsense.model.record import Frame, Raised, Record

PLAIN = """Traceback (most recent call last):
  File "a.py", line 57, in main
    outer()
  File "a.py", line 5, in build
    return Net(cfg["width"],
           ~~~^^^^^^^^^^^^^^
               depth=2)
KeyError: 'width'"""
NOTEBOOK = """KeyError                                  Traceback (most recent call last)
/tmp/ipykernel_1/3049929526.py in <module>
      4 # build
----> 5 net = Net(cfg["width"])
      6 net.train()

~/lib/site-packages/net.py in __init__(self, width)
    112
--> 113         super().__init__()
KeyError: 'width'"""
LINKED = """File c:\\env\\Lib\\trainer.py:2206, in Trainer.train(self)
   2205 else:

-> [2206](file:///c:/env/Lib/trainer.py:2206)     return inner(
"""
BOXED = """│ /srv/checker.py:350 in launch                │
│   349 │   │   log("go")                        │
│ ❱ 350 │   │   trainer.fit(model=model)         │"""


@pytest.mark.parametrize(
    ("text", "frame", "code"),
    [
        (PLAIN, Frame("a.py", 5, "build"), 'return Net(cfg["width"], depth=2)'),
        (PLAIN, Frame("a.py", 57, "main"), "outer()"),
        (PLAIN, Frame("a.py", 7, "main"), None),
        (PLAIN, Frame("a.py", None, "main"), None),
        ('File "a.py", line 5, in f\nfoo(a)\nKeyError: 1', Frame("a.py", 5, "f"), "foo(a)"),
        ('File "a.py", line 5, in f\nKeyError: 1', Frame("a.py", 5, "f"), None),
        ('  File "a.py", line 5 in f\nExtension modules: numpy (total: 1)', Frame("a.py", 5, "f"), None),
        (NOTEBOOK, Frame("/tmp/ipykernel_1/3049929526.py", 5, "<module>"), 'net = Net(cfg["width"])'),
        (NOTEBOOK, Frame("~/lib/site-packages/net.py", 113, "__init__"), "super().__init__()"),
        (LINKED.replace(" (1)", ""), Frame("c:\\env\\Lib\\trainer.py", 2206, "Trainer.train"), "return inner("),
        ('  File "a.py", line 5, in f\n\n    set.take(10),\n\nKeyError: 1', Frame("a.py", 5, "f"), "set.take(10)"),
        (BOXED, Frame("/srv/checker.py", 350, "launch"), "trainer.fit(model=model)"),
    ],
)
def test_the_statement_at_a_frame_is_found_in_every_form(text: str, frame: Frame, code: str | None) -> None:
    assert code_at(text, frame) == code


def test_where_a_library_raised_it_the_programs_own_statement_is_known_too() -> None:
    text = """Traceback (most recent call last):
  File "train.py", line 7, in main
    opt = Adam(params, lr=cfg.lr)
  File "/x/site-packages/torch/optim/adam.py", line 9, in __init__
    if not 0.0 <= lr:
TypeError: no"""
    frames = (Frame("train.py", 7, "main"), Frame("/x/site-packages/torch/optim/adam.py", 9, "__init__"))
    record = Record(text, "log", (1,), 0, 0, raised=Raised("TypeError", "no", frames))
    assert exception_fact("code", record) == "if not 0.0 <= lr:"
    assert exception_fact("own_code", record) == "opt = Adam(params, lr=cfg.lr)"
    alone = record._replace(raised=Raised("TypeError", "no", frames[:1]))
    assert (exception_fact("code", alone), exception_fact("own_code", alone)) == ("opt = Adam(params, lr=cfg.lr)", None)


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ('weights = torch.load("runs/last.pt", map_location="cpu")', "runs/last.pt"),
        ("load_dataset('json', data_files='../data/a.jsonl')", "../data/a.jsonl"),
        ('np.load("/data/train")', "/data/train"),
        ('shutil.copy("a.csv", "b.csv")', None),
        ('open(f"runs/{step}.pt")', None),
        ('model["encoder.weight"].load("cpu")', None),
        ('AutoModel.from_pretrained("acme/tiny-2")', None),
        ('writer.add_scalar("train/loss", loss)', None),
        ('get("https://example.org/a.zip")', None),
    ],
)
def test_a_path_that_the_program_names(code: str, path: str | None) -> None:
    text = f'Traceback (most recent call last):\n  File "train.py", line 7, in main\n    {code}\nOSError: no'
    record = Record(text, "log", (1,), 0, 0, raised=Raised("OSError", "no", (Frame("train.py", 7, "main"),)))
    assert exception_fact("own_path", record) == path


def test_an_object_that_only_says_no_is_not_where_it_failed() -> None:
    frames = (
        Frame("a.py", 57, "main"),
        Frame("/v/site-packages/toks/base.py", 90, "encode"),
        Frame("/v/site-packages/toks/base.py", 9, "__getattr__"),
    )
    record = Record("", "log", (1,), 0, 0)
    for inner, line, own in ((frames, 90, 57), (frames[::2], 57, None), (frames[2:], 9, None)):
        asked = record._replace(raised=Raised("AttributeError", "Toks has no attribute pad", inner))
        assert (exception_fact("line", asked), exception_fact("own_line", asked)) == (line, own)


def test_the_end_of_a_long_message_is_known() -> None:
    said = f"Command '['python', {'--option, ' * 40}]' died with <Signals.SIGKILL: 9>."
    record = Record(said, "log", (1,), 0, len(said), raised=Raised("CalledProcessError", said))
    assert exception_fact("message", record) == said


def test_the_message_is_that_of_the_exception_that_another_one_introduces() -> None:
    said = 'in user code:\n\n    File "a.py", line 7, in step  *\n\n    ValueError: Shapes (2,) and (3,) differ\n'
    record = Record(said, "log", (1,), 0, len(said), raised=Raised("ValueError", said))
    assert exception_fact("message", record) == "Shapes (2,) and (3,) differ"
