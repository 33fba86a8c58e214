"""An error in a library's own code is for that library to correct: the user can't change the call or the setting."""

from __future__ import annotations

from tests.answers import first

IN_TRL = """Traceback (most recent call last):
  File "/work/train.py", line 40, in <module>
    trainer = SFTTrainer(
  File "/opt/env/lib/python3.11/site-packages/trl/trainer/sft_trainer.py", line 401, in __init__
    super().__init__(
TypeError: Trainer.__init__() got an unexpected keyword argument 'tokenizer'
"""


def test_the_library_that_makes_the_call_is_upgraded() -> None:
    said = first(IN_TRL)
    assert [fix.run for fix in said.fixes] == ["pip install --upgrade trl transformers accelerate"]
    assert "trl's own code passes tokenizer" in said.explanation


def test_a_call_of_the_user_is_changed_there() -> None:
    own = "\n".join(IN_TRL.split("\n")[:3] + IN_TRL.split("\n")[5:])
    assert first(own).fixes[0].run == "processing_class=tokenizer   # instead of tokenizer=tokenizer"


def test_a_wrapper_that_passes_arguments_on_is_not_the_caller() -> None:
    wrapped = IN_TRL.replace("trl/trainer/sft_trainer.py", "huggingface_hub/utils/_deprecation.py").replace(
        "super().__init__(", "return f(*args, **kwargs)"
    )
    assert "huggingface" not in (first(wrapped).fixes[0].run or "")


UNKNOWN_TYPE = """Traceback (most recent call last):
  File "/opt/env/lib/python3.10/site-packages/transformers/models/auto/configuration_auto.py", line 1064, in from_pretrained
    config_class = CONFIG_MAPPING[config_dict["model_type"]]
KeyError: '{model}'
"""


def test_a_model_with_its_own_code_is_not_called_newer_than_the_library() -> None:
    said = first(UNKNOWN_TYPE.format(model="gr00t_n1_5"))
    assert "own code" in said.explanation
    assert "trust_remote_code=True" in said.fixes[0].do
    assert (
        first(UNKNOWN_TYPE.format(model="qwen3_next")).fixes[0].run
        == "pip install -U transformers tokenizers accelerate"
    )


def test_a_name_missing_in_tritons_own_file_is_not_the_projects() -> None:
    said = first(
        "ImportError: cannot import name 'triton_key' from 'triton.compiler.compiler' (...\\triton\\compiler\\compiler.py)\n"
        "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
    )
    assert said.cause == "env.package-versions"
    assert said.fixes[0].do.startswith("Install the Triton of this PyTorch")


def test_a_checkpoint_of_an_unknown_type_may_bring_its_own_code() -> None:
    refused = "ValueError: The checkpoint you are trying to load has model type `{}` but Transformers does not recognize this architecture.\n"
    assert "own code" in first(refused.format("tranception")).fixes[0].do
    assert first(refused.format("qwen3_next")).fixes[0].do.startswith("Upgrade the library")
