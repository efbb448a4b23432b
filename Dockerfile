# A sandbox for a team. NODE_IMAGE may pin a digest, or name a mirror's copy.
ARG NODE_IMAGE=node:24-slim

# The package, as npm would publish it. A registry of one's own comes in by --secret id=npmrc,src=$HOME/.npmrc
FROM ${NODE_IMAGE} AS packed
WORKDIR /src
COPY package.json package-lock.json ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts
COPY . .
RUN npm run build && mkdir /packed && npm pack --ignore-scripts --pack-destination /packed

# Without the lockfile, which holds better-sqlite3 at 12 for Node 20: 13 has a binary for each platform in its own
# package, and npm would compile it all the same, were scripts let run. What the binary was made of is left out.
FROM ${NODE_IMAGE} AS installed
COPY --from=packed /packed /packed
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm install --global --prefix /installed --omit=dev --ignore-scripts /packed/*.tgz
RUN cd /installed/lib/node_modules/card-sandbox/node_modules/better-sqlite3 \
  && rm -r deps src \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && /installed/bin/card-sandbox exec -- true

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="card-sandbox" \
  org.opencontainers.image.description="A sandbox of the company-card service: its every answer, on demand" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT"
COPY --from=installed /installed /usr/local
# A new volume takes its owner from here.
RUN install --directory --owner=node --group=node /data
ENV CARD_SANDBOX_HOST=0.0.0.0 CARD_SANDBOX_DB=/data/sandbox.db
USER node
# What is written under a relative name, such as a report, goes to the volume too.
WORKDIR /data
VOLUME /data
EXPOSE 4242
# A look waits 5 s for its answer, by itself.
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 CMD ["card-sandbox", "health"]
ENTRYPOINT ["card-sandbox"]
