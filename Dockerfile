# A sandbox for a team. The base image is pinned by its digest (Node 24.21.0, for amd64 and arm64); the tag only names it.
# NODE_IMAGE may name a later one, or a mirror's copy: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

# The package, as npm would publish it. For a registry of your own: --secret id=npmrc,src=$HOME/.npmrc
FROM ${NODE_IMAGE} AS packed
WORKDIR /src
COPY package.json package-lock.json ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts
COPY . .
RUN npm run build && mkdir /packed && npm pack --ignore-scripts --pack-destination /packed

# Its dependencies have a lockfile of their own: package-lock.json has better-sqlite3 12, which runs on Node 20 and gets
# its binary from an install script; 13 contains a binary for each platform. The sources of the binary are left out.
FROM ${NODE_IMAGE} AS installed
WORKDIR /installed/lib/node_modules/card-sandbox
COPY build/image/package.json build/image/package-lock.json ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts && rm package-lock.json
COPY --from=packed /packed /packed
RUN tar --extract --gzip --file /packed/*.tgz --strip-components 1 \
  && mkdir /installed/bin \
  && ln -s ../lib/node_modules/card-sandbox/dist/node/cli.js /installed/bin/card-sandbox
RUN cd node_modules/better-sqlite3 \
  && rm -r deps src \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete
# The binary loads, and an order could be taken.
RUN node -e "import('card-sandbox').then(({ createSandbox }) => createSandbox().close())"

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="card-sandbox" \
  org.opencontainers.image.description="A sandbox of the company-card service: its every answer, on demand" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT"
COPY --from=installed /installed /usr/local
# A new volume takes its owner and mode from here. Group 0 may write: OpenShift runs images as any user of that group.
RUN install --directory --owner=1000 --group=0 --mode=0770 /data
ENV CARD_SANDBOX_HOST=0.0.0.0 CARD_SANDBOX_DB=/data/sandbox.db
# A number, so that Kubernetes can tell that it is not root (runAsNonRoot).
USER 1000:0
# Files with a relative name, such as a report, are written to the volume too.
WORKDIR /data
VOLUME /data
EXPOSE 4242
# The health check itself waits up to 5 s for a response.
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 CMD ["card-sandbox", "health"]
ENTRYPOINT ["card-sandbox"]
