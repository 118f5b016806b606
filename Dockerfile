# The service with the widget inside. Build: docker build -t voice-assistant-chat .
# Run with PostgreSQL and TLS: see compose.yaml and docs/self-hosting.md.

FROM node:24-bookworm-slim AS build
WORKDIR /src
# Dependencies first, so that they are installed again only if these files change.
COPY package.json package-lock.json .npmrc ./
COPY src/service/package.json src/service/
COPY src/voice/package.json src/voice/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm run build --workspace src/service --workspace src/voice

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/service/package.json src/service/
COPY src/voice/package.json src/voice/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace src/service --workspace src/voice

FROM node:24-bookworm-slim
COPY --from=dependencies /app /app
COPY --from=build /src/src/service/dist /app/src/service/dist
COPY --from=build /src/src/voice/dist /app/src/voice
RUN mkdir /data && chown 1000:1000 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# The settings file of "setup" and the embedded database are stored here; everything else may be read-only.
VOLUME /data
WORKDIR /data
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/src/service/dist/service/bin.js"]
CMD ["start"]
