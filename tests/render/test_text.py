"""The report as text, as a person sees it."""

from __future__ import annotations

import pytest

from logsense.model.report import Consequence, Evidence, FactValue, Fix, Mark, Noise, Progress, RankRow, Report
from logsense.render.command_lines import command_lines
from logsense.render.layout import Look, width_of
from logsense.render.text import COMMAND, render_text
from tests.render.drafts import COMPLETED, FAILED, FRAGMENTED, UNEXPLAINED, UNKNOWN

AT_80 = """\
✗ Rank 3: GPU 3's memory is fragmented                                 81 % sure
  step 4,120 of 10,000 · 3 h 12 min after the start · last checkpoint: step
  4,000 · run again: after the fix

  train.log:1204 · rank 3 · node7
  │ torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU
  │ 3 has a total capacity of 79.15 GiB of which 1.20 GiB is free. Including no…

  GPU 3 had 12.30 GiB in PyTorch's cache, but no single free block of 2 GiB: the
  memory is fragmented rather than full.
  It may also be: The model and its batch need more memory than the GPU has
  (24 %)

  1. Let PyTorch grow its segments instead of splitting fixed ones.
       export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  2. Use a smaller batch and accumulate gradients. (changes the training)

  1 more fix, 1 more check, facts: --verbose
"""

AT_40 = """\
✗ Rank 3: GPU 3's memory is fragmented
  81 % sure · step 4,120 of 10,000 · 3 h
  12 min after the start · last
  checkpoint: step 4,000 · run again:
  after the fix

  train.log:1204 · rank 3 · node7
  │ torch.OutOfMemoryError: CUDA out of
  │ memory. Tried to allocate 2.00 GiB.
  │ GPU 3 has a total capacity of
  │ 79.15 GiB of which 1.20 GiB is free…

  GPU 3 had 12.30 GiB in PyTorch's
  cache, but no single free block of
  2 GiB: the memory is fragmented rather
  than full.
  It may also be: The model and its
  batch need more memory than the GPU
  has (24 %)

  1. Let PyTorch grow its segments
     instead of splitting fixed ones.
       export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  2. Use a smaller batch and accumulate
     gradients. (changes the training)

  1 more fix, 1 more check, facts:
       --verbose
"""


def test_a_failure_at_80_columns() -> None:
    assert render_text(FAILED, Look(width=80)) == AT_80


def test_a_failure_at_40_columns() -> None:
    assert render_text(FAILED, Look(width=40)) == AT_40


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 250])
@pytest.mark.parametrize("report", [FAILED, UNEXPLAINED, COMPLETED, UNKNOWN])
def test_only_commands_are_wider_than_the_terminal(report: Report, width: int) -> None:
    commands = {fix.run for fix in FRAGMENTED.fixes} | {check.run for one in FAILED.diagnoses for check in one.decide}
    commands = {part for one in commands if one for part in command_lines(one, width - COMMAND)}
    for line in render_text(report, Look(width=width, verbose=True)).splitlines():
        shown = line.strip()
        assert width_of(line) <= width or shown in commands or shown.startswith(("https://", "logsense "))


def test_verbose_adds_the_rest() -> None:
    text = render_text(FAILED, Look(verbose=True))
    assert "Evidence against it" in text
    assert "Harmless, though it looks alarming\n  • NUMA information is missing" in text
    assert "\nFacts\n  torch.version  2.5.1 (train.log:3)\n  oom.requested  2 GiB (train.log:1204)\n" in text
    assert "  https://docs.pytorch.org/docs/stable/notes/cuda.html\n" in text
    assert "logsense causes gpu-memory.fragmentation" in text


def test_a_remote_cause_is_not_shown() -> None:
    remote = FAILED.diagnoses[1]._replace(confidence=0.1)
    report = FAILED._replace(diagnoses=(FRAGMENTED, remote))
    assert "It may also be" not in render_text(report, Look())
    assert "10 %  The model" in render_text(report, Look(verbose=True))


def test_only_the_first_fixes_are_on_the_first_screen() -> None:
    many = FRAGMENTED._replace(fixes=tuple(Fix(f"Use a batch of {size}.") for size in range(8)))
    text = render_text(FAILED._replace(diagnoses=(many,)), Look())
    assert "  2. Use a batch of 1.\n\n  6 more fixes" in text
    assert "  8. Use" in render_text(FAILED._replace(diagnoses=(many,)), Look(verbose=True))


def test_a_guess_looks_like_one_and_its_check_comes_first() -> None:
    def shown(confidence: float) -> str:
        return render_text(FAILED._replace(diagnoses=(FRAGMENTED._replace(confidence=confidence),)), Look(width=80))

    assert shown(0.61).startswith("✗ ")
    assert "To be sure" not in shown(0.61)
    assert shown(0.55).index("To be sure: Compare") < shown(0.55).index("If confirmed: Let PyTorch")
    assert shown(0.45).startswith("? ")
    without = FRAGMENTED._replace(confidence=0.35, decide=())
    assert "Let PyTorch" not in render_text(FAILED._replace(diagnoses=(without,)), Look(width=80))
    assert "What to do if this is the cause" in render_text(FAILED._replace(diagnoses=(without,)), Look(verbose=True))


def test_a_guess_says_what_its_check_would_mean() -> None:
    guess, rival = FRAGMENTED._replace(confidence=0.45), FAILED.diagnoses[1]._replace(confidence=0.3)
    assert """
  To be sure: Compare reserved and allocated memory just before the failure.
       python -c "import torch; print(torch.cuda.memory_summary())"
  If confirmed: Let PyTorch grow its segments instead of splitting fixed ones.
       export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  If not: The model and its batch need more memory than the GPU has (30 %)
""" in render_text(FAILED._replace(diagnoses=(guess, rival)), Look(width=80))


def test_what_only_checks_again_is_no_outcome_of_the_check() -> None:
    again = Fix("Look at the memory once more.", "python -c 'print(1)'")
    guess = FRAGMENTED._replace(confidence=0.45, fixes=(again, *FRAGMENTED.fixes))
    assert "If confirmed: Let PyTorch" in render_text(FAILED._replace(diagnoses=(guess,)), Look(width=80))


def test_an_explanation_does_not_repeat_the_headline_or_the_proof() -> None:
    said = "GPU 3 is fragmented: its memory is. A segment of a fixed size can't grow."
    text = render_text(FAILED._replace(diagnoses=(FRAGMENTED._replace(explanation=said),)), Look(width=80))
    assert "\n\n  A segment of a fixed size can't grow.\n" in text
    assert "its memory is" not in text


def test_what_names_only_the_place_is_not_said_beside_it() -> None:
    facts = {
        f"exception.{part}": FactValue(value)
        for part, value in (("type", "OutOfMemoryError"), ("file", "/home/user/project/train.py"), ("line", 12))
    }
    said = "OutOfMemoryError in line 12 of /home/user/project/train.py: CUDA out of memory."
    one = FRAGMENTED._replace(explanation=said)
    text = render_text(FAILED._replace(diagnoses=(one,), facts=facts), Look(width=80))
    assert "train.py:12" in text
    assert "in line 12" not in text


def test_a_fix_does_not_quote_the_message_again() -> None:
    fix = Fix("Change what the script passes: CUDA out of memory. Tried to allocate 2.00 GiB.")
    text = render_text(FAILED._replace(diagnoses=(FRAGMENTED._replace(fixes=(fix,)),)), Look(width=80))
    assert "\n  1. Change what the script passes.\n" in text


def test_a_link_in_a_message_is_left_to_the_proof() -> None:
    link = "https://flax.readthedocs.io/en/latest/api_reference/flax.errors.html#flax.errors.InvalidRngError"
    one = FRAGMENTED._replace(title=f"A key is missing ({link})", explanation=f"It needs a key ({link}).")
    text = render_text(FAILED._replace(diagnoses=(one,)), Look(width=80))
    assert "A key is missing  " in text
    assert "\n  It needs a key.\n" in text
    assert "http" not in text


def test_a_remark_behind_a_command_gives_way_before_a_fix() -> None:
    step = Fix("Do this.", "command --with some --options   # a remark that does not fit into the same line of 80")
    few = render_text(FAILED._replace(diagnoses=(FRAGMENTED._replace(fixes=(step,)),)), Look(width=80))
    assert "# a remark" in few
    long = FRAGMENTED._replace(fixes=(step, step), title="A headline that is long enough for two lines " * 2)
    many = render_text(FAILED._replace(diagnoses=(long,)), Look(width=80))
    assert "# a remark" not in many
    assert many.count("Do this.") == 2


def test_another_cause_that_only_repeats_the_proof_is_no_second_answer() -> None:
    likely = FRAGMENTED._replace(confidence=0.6)
    rival = FRAGMENTED._replace(cause="code.python-exception", title="CUDA out of memory.", confidence=0.3)
    assert "may also be" not in render_text(FAILED._replace(diagnoses=(likely, rival)), Look())
    assert "may also be" in render_text(
        FAILED._replace(diagnoses=(likely, rival._replace(title="GPU 3 is full"))), Look()
    )


def test_the_proof_names_the_frame_that_raised() -> None:
    facts = {
        f"exception.{part}": FactValue(value)
        for part, value in (("file", "src/main.py"), ("line", 31), ("code", "lr = cfg.lr"))
    }
    assert "main.py:31 lr = cfg.lr" in render_text(FAILED._replace(facts=facts), Look())
    own = {
        f"exception.own_{part}": FactValue(value)
        for part, value in (("file", "fit.py"), ("line", 7), ("code", "fit()"))
    }
    shown = render_text(FAILED._replace(facts=facts | own), Look())
    assert "fit.py:7 fit()" in shown
    assert "main.py" not in shown


def test_long_texts_end_with_a_whole_sentence() -> None:
    long = "The first sentence is here. " + "Another one follows that is rather long. " * 9
    text = render_text(FAILED._replace(diagnoses=(FRAGMENTED._replace(explanation=long),)), Look(width=80))
    assert " ".join(text.split()).count("Another one follows") == 2
    assert "rather long.\n" in text


@pytest.mark.parametrize(
    "aside", ["(on Fedora: python3-devel; on Ubuntu: python3-dev)", '"in Jetson: The wheel; its own"']
)
def test_long_texts_are_never_cut_inside_brackets_or_quotation_marks(aside: str) -> None:
    long = f"Install the headers {aside} that fit the interpreter; {'then build it again ' * 9}."
    text = render_text(FAILED._replace(diagnoses=(FRAGMENTED._replace(explanation=long),)), Look(width=80))
    assert f"Install the headers {aside} that fit the interpreter." in " ".join(text.split())


@pytest.mark.parametrize("report", [FAILED, UNEXPLAINED])
def test_the_first_screen_fits_a_terminal(report: Report) -> None:
    many = [one._replace(explanation="A sentence. " * 40, fixes=FRAGMENTED.fixes * 3) for one in report.diagnoses]
    assert len(render_text(report._replace(diagnoses=tuple(many)), Look(width=80)).splitlines()) <= 22


def test_not_understood() -> None:
    assert (
        render_text(UNEXPLAINED, Look())
        == """\
? This failure is new to logsense

  train.log:7
  │ FrobnicationError: the frob is out of band

  Nearest known message: The frob left its band (python.out-of-band)

  Report it, redacted:      logsense report
  Write a rule for it:      logsense rules new 'LINE'
"""
    )


def test_no_failure() -> None:
    assert render_text(COMPLETED, Look()) == "✓ The run completed; no failure found (1,204 lines of train.log)\n"
    assert render_text(UNKNOWN, Look()) == "No failure found (1 line of 2 inputs)\n"
    running = Report("running", lines_read=3)
    assert render_text(running, Look()).startswith("No failure found; the run was still going (3 lines read)\n")
    facts = {"log.last_time": FactValue("10:31:07"), "log.pace": FactValue(2.0, shown="2 s")}
    far = render_text(running._replace(progress=Progress("training", "", 40, 100), facts=facts), Look())
    assert far.startswith("No failure found; the run was still going at step 40 of 100 (3 lines read)\n")
    assert "the last time in the log is 10:31:07, a step took 2 s" in far
    assert "killed without a line of its own" in far


def test_what_looks_alarming_and_is_not() -> None:
    noise = (Noise("some.message", 3, "It does not matter"),)
    few = Report("unknown", noise=noise, lines_read=3)
    assert (
        render_text(few, Look())
        == """\
No failure found (3 lines read)

Harmless, though it looks alarming
  • It does not matter (some.message, 3 ×)
"""
    )
    many = few._replace(lines_read=3000)
    assert render_text(many, Look()).endswith("Some lines look alarming and are harmless: --verbose names them\n")
    assert render_text(many, Look(verbose=True)).count("It does not matter") == 1
    assert "It does not matter" not in render_text(FAILED._replace(noise=noise), Look())


def test_log_text_stays_text() -> None:
    nasty = "\x1b]0;owned\x07\x1b[2J[bold red]not markup[/] \u202eevil\u202c \x9b31m"
    proof = Evidence(nasty, nasty, 1, nasty, None, nasty)
    diagnosis = FRAGMENTED._replace(title=nasty, explanation=nasty, evidence=(proof,), fixes=(), decide=())
    report = Report("failed", (diagnosis,), consequences=(Consequence(nasty),))
    text = render_text(report, Look(width=200))
    assert "[bold red]not markup[/] \\u202eevil\\u202c" in text
    assert not set(text) & set("\x1b\x9b\x07\u202e\u202c")


def test_colours_are_the_only_difference() -> None:
    import re

    colored = render_text(FAILED, Look(width=80, color=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == AT_80


def test_the_first_screen_is_short() -> None:
    """A second fix that does not fit is left to --verbose, and a long path is shortened in sentences."""
    path = "/scratch/project/2026/experiments/imagenet/validation/n01440764/ILSVRC2012_val_00000293.JPEG"
    first, second = (
        Fix(do=f"Look at {path}.", run="\n".join(f"step {number}" for number in range(4))) for _ in range(2)
    )
    one = FAILED.diagnoses[0]._replace(title=f"Cannot read {path}", fixes=(first, second), confidence=0.9)
    text = render_text(FAILED._replace(diagnoses=(one,), culprits=()), Look(width=80))
    assert text.startswith("✗ Cannot read …/ILSVRC2012_val_00000293.JPEG ")
    assert text.count("Look at …/ILSVRC2012_val_00000293.JPEG.") == 1
    assert "1 more fix" in text
    assert text.count("\n") <= 22


def test_the_first_sentence_of_a_fix_is_shown_in_three_lines() -> None:
    """A shortened "Pass a tensor" would not say how."""
    do = f"Pass a tensor: torch.as_tensor(x) for arrays, {'torch.stack(list) for lists of tensors, ' * 4}else x."
    one = FAILED.diagnoses[0]._replace(fixes=(Fix(do=f"{do} Or none."),), confidence=0.9)
    text = " ".join(render_text(FAILED._replace(diagnoses=(one,)), Look(width=80)).split())
    assert f" 1. {do} " in text
    assert "Or none" not in text


GIB = 2**30


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ({"total": 80, "process_used": 48, "free": 2}, "GPU 3  ██████████▒▒▒▒▒▒ this job 48.0, others 30.0, free 2.0"),
        ({"total": 80, "reserved": 79, "free": 0.5}, "GPU 3  ████████████████ this job 79.0, free 0.5 of 80.0 GiB"),
        ({"total": 80, "process_used": 79, "free": 4}, ""),  # does not add up
        ({"total": 80, "free": 2}, ""),
    ],
)
def test_a_bar_shows_who_holds_the_memory(sizes: dict[str, float], shown: str) -> None:
    facts = {f"oom.{name}": FactValue(size * GIB) for name, size in sizes.items()}
    report = FAILED._replace(facts={**facts, "oom.gpu": FactValue(3)}, ranks=())
    text = render_text(report, Look(width=80))
    assert f"\n  {shown}" in text
    assert bool(shown) == ("█" in text)


def test_sizes_that_a_bar_shows_are_not_listed_again() -> None:
    facts = {
        f"oom.{name}": FactValue(size * GIB) for name, size in {"total": 80, "process_used": 48, "free": 2}.items()
    }
    one = FRAGMENTED._replace(explanation="This process used 48 GiB of 80 GiB. The rest belongs to others.")
    text = render_text(FAILED._replace(diagnoses=(one,), facts=facts, ranks=()), Look(width=80))
    assert "\n  The rest belongs to others.\n" in text
    assert "48 GiB of" not in text


def test_a_silent_rank_is_shown_beside_those_that_waited() -> None:
    waited = Mark("consequence", "an ALLREDUCE timed out", None, "a.log", 3)
    stepped = Mark("progress", "step 40", None, "a.log", 1)
    rows = (RankRow(0, at_fault=True, marks=(stepped,)), RankRow(1, marks=(waited,)), RankRow(2, marks=(waited,)))
    text = render_text(FAILED._replace(ranks=rows), Look(width=80))
    assert "\n  rank 0      step 40, then nothing\n  ranks 1, 2  an ALLREDUCE timed out\n" in text
    alone = (RankRow(0, at_fault=True, marks=(waited,)), *rows[1:])
    assert "ranks 1, 2" not in render_text(FAILED._replace(ranks=alone), Look(width=80))
