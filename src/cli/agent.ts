import { Command, InvalidArgumentError } from 'commander';
import { AddressGuard } from '../kube-api/address-guard.js';
import { realClock } from '../kube-api/reflector/clock.js';
import { ClusterAccess } from './agent/cluster-access.js';
import { runAgent } from './agent/run-agent.js';
import { reasonOf } from './agent/service-client.js';

interface Options {
  readonly server: string;
  readonly cluster: string;
  readonly tokenFile?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly coalesce: number;
}

/** The command that runs in a cluster which the service cannot reach. */
export const agentCommand = (): Command =>
  new Command('agent')
    .description(
      'Follows the cluster that it runs in, or that of a kubeconfig, and sends what the service keeps of it: first everything, then ' +
        'what changes. It needs get, list and watch in the cluster, and a token of the service with the role change. Ends with SIGTERM ' +
        'or SIGINT; exit code 0 then, 1 if the service refuses it for good, 2 if it cannot begin.',
    )
    .requiredOption('--server <url>', 'address of the service')
    .requiredOption('--cluster <name>', 'name of the cluster in the service, which is created if it does not exist')
    .option('--token-file <file>', 'file with the token for the service, read again for each request')
    .option('--kubeconfig <file>', 'kubeconfig to use instead of the service account of the pod')
    .option('--context <name>', 'context of the kubeconfig (default: its current-context)')
    .option('--coalesce <milliseconds>', 'how long changes are collected into one delta', wholeNumber, 1000)
    .action(async (options: Options) => {
      process.exitCode = await run(options);
    });

async function run({ server, cluster, tokenFile, kubeconfig, context, coalesce }: Options): Promise<number> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      stop.abort();
    });
  }
  const guard = new AddressGuard(true);
  const access = new ClusterAccess({ kubeconfig, context }, process.env, guard, realClock);
  let begun = false;
  try {
    await access.current();
    begun = true;
    await runAgent(
      {
        access,
        guard,
        service: { server, cluster, tokenFile },
        clock: realClock,
        random: Math.random,
        coalesceMs: coalesce,
        tell: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
      },
      stop.signal,
    );
    return 0;
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return begun && (error as Error).name === 'ServiceError' ? 1 : 2;
  } finally {
    access.close();
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('must be a whole number of milliseconds');
  return Number(text);
}
