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
RUN node scripts/build.mjs --bundle && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/dist dist
USER node
EXPOSE 3000
CMD ["node", "--max-semi-space-size=64", "dist/bundle/main.js"]
