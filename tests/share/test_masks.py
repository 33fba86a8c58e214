"""Masks are the same for the same thing, wherever it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logsense.model.report import Culprit, Diagnosis, Evidence, FactValue, Fix, Mask, Report, Rerun
from logsense.share.bundle import keep_log_names, learn_values, mask_values
from logsense.share.redact.masks import Redactor
from tests.render.redact.planted import KEEPS, PATTERNS, grown


def _redactor() -> Redactor:
    return Redactor(PATTERNS, KEEPS)


def test_one_mask_for_one_thing() -> None:
    redactor = _redactor()
    texts = ["connect to 203.0.113.7 from 203.0.113.9", "/home/alovelace/x", "203.0.113.9 again", "alovelace was here"]
    for text in texts:
        redactor.learn(text)
    assert [redactor.mask(text) for text in texts] == [
        "connect to <ip-1> from <ip-2>",
        "/home/<user-1>/x",
        "<ip-2> again",
        "<user-1> was here",
    ]
    assert redactor.masked() == (
        Mask("<ip-1>", "an IP address", 1),
        Mask("<ip-2>", "an IP address", 2),
        Mask("<user-1>", "the name of a user", 2),
    )


def test_a_known_secret_is_masked_without_context() -> None:
    redactor, secret = _redactor(), grown("{hex:40}")
    redactor.learn(f"WANDB_API_KEY={secret}")
    assert redactor.mask(f"['{secret}']") == "['<token-1>']"


def test_a_token_within_a_password_is_hidden_elsewhere_too() -> None:
    redactor, secret = _redactor(), grown("hf_{34}")
    redactor.learn(f"https://ana:{secret}:x@example.com/")
    assert redactor.mask(f"the token{secret} is not valid") == "the token<token-1> is not valid"


def test_a_known_secret_is_hidden_within_a_word_too() -> None:
    redactor, secret, password = _redactor(), grown("hf_{34}"), grown("{hex:20}")
    redactor.learn(f"HF_TOKEN={secret} from https://ada:{password}@example.com/x")
    assert redactor.mask(f"?q=token%3D{secret}&x user{secret}x") == "?q=token%3D<token-1>&x user<token-1>x"
    assert redactor.mask(f"%22{password}%22") == "%22<password-1>%22"


def test_a_machine_with_a_plain_name() -> None:
    redactor = _redactor()
    redactor.learn("atlas", before="hostname = ")
    redactor.learn("recorded on vulcan until 12:00")
    assert redactor.mask("atlas: recorded on atlas until 12:00") == "<host-1>: recorded on <host-1> until 12:00"
    assert redactor.mask("recorded on vulcan until") == "recorded on <host-2> until"
    assert redactor.mask("recorded on this machine until") == "recorded on this machine until"


def test_words_that_many_texts_hold_stay() -> None:
    redactor = _redactor()
    for text in ("MASTER_ADDR=gpu", "/home/al/x", "/home/data/x", "/home/torchvision_user/x"):
        redactor.learn(text)
    assert redactor.mask("gpu 0: al and data of torchvision") == "gpu 0: al and data of torchvision"
    redactor.add_name("user", "12345678", "the name of a user")
    assert redactor.mask("step 12345678") == "step 12345678"


def test_a_key_keeps_its_lines() -> None:
    text = grown("a\n-----BEGIN PRIVATE KEY-----\n{64}\n-----END PRIVATE KEY-----\nb")
    assert _redactor().mask(text) == "a\n<token-1>\n\n\nb"


def test_a_key_without_an_end_does_not_keep_a_name_from_being_learnt() -> None:
    redactor = _redactor()
    redactor.learn(grown("-----BEGIN PRIVATE KEY-----\n{64}\nwrote to /home/alovelace/run"))
    assert "alovelace" not in redactor.mask("alovelace is out of quota")


def test_the_context_in_front_is_used_but_not_shown() -> None:
    redactor = _redactor()
    assert redactor.mask("9.1.0.70", before="cudnn.version = ") == "9.1.0.70"
    assert redactor.mask("9.1.0.70") == "<ip-1>"
    assert redactor.mask("gpu", before="hostname = ") == "<host-1>"


@given(st.text("ab ", max_size=20), st.text("cd ", min_size=1, max_size=20), st.text("ef ", max_size=20))
def test_the_focus_moves_with_its_text(before: str, middle: str, after: str) -> None:
    for hidden in ("/home/alovelace/x ", "203.0.113.7 "):
        text = hidden + before + hidden + middle + hidden + after
        start = len(hidden + before + hidden)
        masked, focus = _redactor().mask_with(text, (start, start + len(middle)))
        assert focus
        assert masked[slice(*focus)] == middle


def test_the_focus_on_what_is_hidden_covers_its_mask() -> None:
    text = "see /home/alovelace/x"
    for focus in ((10, 19), (12, 15), (10, 15), (12, 19)):
        masked, moved = _redactor().mask_with(text, focus)
        assert moved
        assert masked[slice(*moved)] == "<user-1>"


def test_the_folder_of_a_log_is_no_machine() -> None:
    redactor = _redactor()
    facts = {"peer.address": FactValue("gpu-012", "train/a.log", 2, "gpu-012")}
    learn_values(facts, redactor)
    assert mask_values(facts, redactor) == {"peer.address": FactValue("<host-1>", "train/a.log", 2, "<host-1>")}


def test_a_report() -> None:
    secret = grown("hf_{34}")
    report = Report(
        "failed",
        diagnoses=(
            Diagnosis(
                "network.auth",
                0.9,
                f"{secret} was refused on gpu-12",
                "At /home/alovelace/run.",
                (
                    Evidence(
                        "says", "/home/alovelace/run/a.log", 3, f"token {secret} refused", 1, "atlas", None, (6, 43)
                    ),
                ),
                fixes=(Fix("Log in.", "ls /home/alovelace"),),
            ),
        ),
        rerun=Rerun("other-node", "gpu-12 is broken", ("gpu-12",)),
        culprits=(Culprit(1, "gpu-12", "/home/alovelace/run/a.log", 3),),
        facts={
            "cudnn.version": FactValue("9.1.0.70", "/home/alovelace/run/a.log", 2, "9.1.0.70"),
            "peer.address": FactValue("203.0.113.7", None, None, "203.0.113.7"),
            "count": FactValue(3),
        },
        inputs=("/home/alovelace/run/a.log",),
    )
    redactor = _redactor()
    keep_log_names(report, redactor)
    learn_values(report, redactor)
    hidden = mask_values(report, redactor)
    assert hidden.diagnoses[0].cause == "network.auth"
    assert hidden.diagnoses[0].title == "<token-1> was refused on <host-1>"
    [proof] = hidden.diagnoses[0].evidence
    assert (proof.text, proof.focus, proof.host) == ("token <token-1> refused", (6, 15), "<host-2>")
    assert hidden.rerun
    assert hidden.rerun.verdict == "other-node"
    assert hidden.rerun.exclude == ("<host-1>",)
    assert hidden.facts["cudnn.version"].shown == "9.1.0.70"
    assert hidden.facts["peer.address"].value == "<ip-1>"
    assert hidden.facts["count"].value == 3
    for name in ("alovelace", secret, "gpu-12", "atlas", "203.0.113.7"):
        assert name not in repr(hidden)
    assert {one.mask for one in redactor.masked()} == {"<token-1>", "<host-1>", "<host-2>", "<user-1>", "<ip-1>"}
