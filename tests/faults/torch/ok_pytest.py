# cause: none
import subprocess
import sys
import textwrap

with open("test_errors.py", "w") as f:
    f.write(
        textwrap.dedent("""
        import pytest, unittest

        @pytest.mark.parametrize("kind", ["CUDA out of memory", "NCCL timeout", "Segmentation fault", "No space left on device"])
        def test_error_is_reported(kind):
            assert kind

        class ErrorTests(unittest.TestCase):
            def test_runtime_error_on_shape_mismatch(self): self.assertRaises(RuntimeError, self.fails)
            def test_oom_killed(self): pass
            def test_nan_loss(self): pass
            def fails(self): raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
        """)
    )
subprocess.run([sys.executable, "-m", "unittest", "-v", "test_errors.ErrorTests"], check=False)
