# The image of a card-sandbox server. The digest pins the base image (Node 24.21.0 for amd64 and arm64); the tag is only
# a label. To use another version or a mirror, build with --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

# Builds the npm package. To use your own registry, build with --secret id=npmrc,src=$HOME/.npmrc
FROM ${NODE_IMAGE} AS packed
WORKDIR /src
COPY package.json package-lock.json ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts
COPY . .
RUN npm run build && mkdir /packed && npm pack --ignore-scripts --pack-destination /packed

# Installs the package with its own lockfile: package-lock.json has better-sqlite3 12, which runs on Node 20 and
# downloads its binary in an install script; version 13 contains the binaries. The sources of the binary are removed.
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
# Fails the build if the binary does not load.
RUN node -e "import('card-sandbox').then(({ createSandbox }) => createSandbox().close())"

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="card-sandbox" \
  org.opencontainers.image.description="Run the company-card API locally and get any of its responses on demand" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT"
COPY --from=installed /installed /usr/local
# A new volume takes its owner and mode from this folder. Group 0 can write: OpenShift runs images as any user of it.
RUN install --directory --owner=1000 --group=0 --mode=0770 /data
ENV CARD_SANDBOX_HOST=0.0.0.0 CARD_SANDBOX_DB=/data/sandbox.db
# Numeric, so that Kubernetes can verify that it is not root (runAsNonRoot).
USER 1000:0
# Files with a relative path, such as reports, are also written to the volume.
WORKDIR /data
VOLUME /data
EXPOSE 4242
# The health command waits up to 5 s for a response, so the timeout is longer.
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 CMD ["card-sandbox", "health"]
ENTRYPOINT ["card-sandbox"]
