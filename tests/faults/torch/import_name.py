# cause: env.package-versions
