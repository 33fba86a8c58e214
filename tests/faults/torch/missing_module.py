# cause: env.package-missing
# advice: pip install
