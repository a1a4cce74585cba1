# syntax=docker/dockerfile:1
# docker build --tag schoolgate .
# The image has no embedded PostgreSQL: set DATABASE_URL. It writes only to /var/lib/schoolgate and /tmp.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Schoolgate" \
      org.opencontainers.image.description="The authorization service for online schools" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    SCHOOLGATE_DATA_DIR=/var/lib/schoolgate \
    SCHOOLGATE_COMMAND="node bin/schoolgate.mjs"
# Uploads, unless S3_ENDPOINT is set.
WORKDIR /var/lib/schoolgate
RUN chown node:node .
WORKDIR /app
COPY package.json ./
COPY bin ./bin
COPY migrations ./migrations
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/assets ./assets
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
VOLUME ["/var/lib/schoolgate"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--enable-source-maps", "bin/schoolgate.mjs"]
CMD ["start"]
