# cause: env.package-missing
# advice: pip install
import einops_extension
