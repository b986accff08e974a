import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { ConfigError, readConfig, type ServiceConfig } from '../src/config.js';
import { reportStartFailure } from '../src/start-failure.js';
import { startService, type ServiceOverrides } from '../src/start-service.js';
import { ApiClient, RefusedError } from './api-client.js';
import { ChangeOnRecord } from './change-on-record.js';
import { Conversation } from './conversation.js';
import { Costs } from './costs.js';
import { DEMO_CLUSTERS, loadDemoCluster } from './demo-clusters.js';
import { Evictions } from './evictions.js';
import { Questions } from './questions.js';
import { Scheduling } from './scheduling.js';
import { Terminal } from './terminal.js';

/** Compiled, this file is in dist/demo, or bundled in dist/bundle. */
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const terminal = new Terminal(process.stdout);

/** Starts the service, stores real clusters, asks questions about them, and keeps serving; with --once it exits instead. */
async function main(): Promise<void> {
  const once = readArguments(process.argv.slice(2));
  const settings = readConfig(process.env);
  if (settings.authentication.mode === 'required') {
    throw new ConfigError('The demo has no token; run it with AUTHENTICATION=off.');
  }
  const config = await onFreePort(settings);
  const starting = startService(config, logs());
  const stop = (): void => {
    starting.then((service) => service.close()).then(() => process.exit(0), fail);
  };
  // Not `once`: without another listener, the embedded Postgres would end the process itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

  const service = await starting;
  const ready = (performance.now() / 1000).toFixed(1);
  terminal.line(`kube-placement at ${service.url}, ready in ${ready} s`);
  const client = new ApiClient(service.url);
  try {
    await load(client);
    const conversation = new Conversation(client, terminal, ROOT);
    await new Questions(conversation).askAll();
    await new ChangeOnRecord(conversation).askAll();
    await new Evictions(conversation).askAll();
    await new Costs(conversation).askAll();
    await new Scheduling(conversation).askAll();
  } catch (error) {
    await service.close();
    throw error;
  }
  if (once) {
    await service.close();
    process.exit(0);
  }
  terminal.line();
  terminal.table(
    [
      ['Dashboard', `${service.url}/ui/`],
      ['API', `${service.url}/api/v1/clusters`],
      ['Audit trail', `${service.url}/api/v1/clusters/demo-eks/taint-trail/records`],
      ['Evictions', `${service.url}/api/v1/clusters/demo-eks/eviction-schedules (POST)`],
      ['Costs', `${service.url}/api/v1/clusters/demo-eks/pod-resources (POST)`],
      ['Documentation', `${service.url}/docs`],
      ['GraphiQL', `${service.url}/graphiql`],
      ['Authentication', 'off: anybody who reaches this address may do everything'],
    ],
    0,
  );
  terminal.line('Serving until Ctrl-C.');
}

/** Without LOG_LEVEL, prints the messages of warnings instead of the log. */
function logs(): ServiceOverrides {
  if ((process.env['LOG_LEVEL'] ?? '') !== '') return {};
  const write = (line: string): void => {
    terminal.prose(`note: ${(JSON.parse(line) as { readonly msg: string }).msg}`, 0);
  };
  return { log: pino({ level: 'warn' }, { write }) };
}

function readArguments(given: readonly string[]): boolean {
  const unknown = given.filter((argument) => argument !== '--once');
  if (unknown.length > 0)
    throw new ConfigError(`Unknown argument: ${unknown.join(' ')}. Usage: npm run demo -- [--once]`);
  return given.includes('--once');
}

/** The same settings, with any free port if the port is in use. */
async function onFreePort(config: ServiceConfig): Promise<ServiceConfig> {
  const { host, port } = config;
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ host, port }, () => probe.close(() => resolve(true)));
  });
  if (free) return config;
  terminal.line(`Port ${port} is in use; taking another one.`);
  return { ...config, port: 0 };
}

async function load(client: ApiClient): Promise<void> {
  const loaded = await Promise.all(DEMO_CLUSTERS.map((cluster) => loadDemoCluster(client, cluster, ROOT)));
  const rows = loaded.map(({ cluster, revision, sent, counts }) => [
    cluster.name,
    cluster.what,
    `revision ${revision}`,
    sent ? `loaded ${counts}` : 'is already loaded',
  ]);
  terminal.table(rows);
}

function fail(error: unknown): void {
  if (error instanceof RefusedError) console.error(error.message);
  else reportStartFailure(error);
  process.exitCode = 1;
  // The embedded server is stopping but may keep the process alive.
  setTimeout(() => process.exit(1), 5000).unref();
}

main().catch(fail);
