# The compiler and the sources stay behind in the first stage; the second holds what runs.
FROM node:24-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json dashboard/
COPY clients/typescript/package.json clients/typescript/
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY migrations migrations
COPY src src
COPY dashboard dashboard
COPY clients clients
COPY openapi.yaml ./
RUN node scripts/build.mjs --bundle && node scripts/image.mjs

# Node and the C library, without a shell and a package manager; it runs as user 65532.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="kube-placement" \
  org.opencontainers.image.description="Where can this pod run, and why not elsewhere?" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /service
COPY --from=build /service/image ./
USER 65532:65532
EXPOSE 3000
# For a service with TLS, whose certificate may be for another name, turn it off (--no-healthcheck).
HEALTHCHECK --start-period=30s CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The entry point is node, as process 1; it ends with SIGTERM.
# The thread that answers collects young objects alone: with others, it would wait for a core for each of them.
CMD ["--min-semi-space-size=8", "--max-semi-space-size=16", "--no-parallel-scavenge", "--v8-pool-size=1", "dist/bundle/main.js"]
