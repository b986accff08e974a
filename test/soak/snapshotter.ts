import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../bench/generator/random.js';
import { anyReplica, type Phase } from './phase.js';
import type { ListedNode } from './rendered-node.js';
import type { ServiceProcess } from '../support/service-process.js';
import { BASE, dumpOf, nodesOfDump } from './soak-cluster.js';
import { ask } from './soak-client.js';

const PAUSE_MS = 1_000;

/**
 * Sends snapshots now and then, of a cluster to which the changes have come, but for those that never do: some are confirmed,
 * the others are not, and what was changed since the capture stands.
 */
export class Snapshotter {
  private readonly replica: () => ServiceProcess;
  private count = 0;

  constructor(
    private readonly phase: Phase,
    seed: number,
  ) {
    this.replica = anyReplica(phase, new Random(seed * 1_000 + 999));
  }

  async run(): Promise<void> {
    while (!this.phase.isOver()) {
      await this.once();
      await sleep(PAUSE_MS);
    }
  }

  private async once(): Promise<void> {
    const { ledger, isDisturbed } = this.phase;
    const capturedAt = new Date(ledger.quietUntil());
    const { highest } = ledger;
    const seen = await ask(this.replica(), { method: 'GET', path: `${BASE}/nodes?limit=500` });
    if (seen?.status !== 200) return;
    const { basis, items } = seen.body as { basis: { revision: number }; items: readonly ListedNode[] };
    // The replica does not know the newest revision yet.
    if (basis.revision < highest) return;
    const source = `dump-${++this.count}`;
    const nodes = nodesOfDump(items);
    ledger.snapshots.set(source, { capturedAt, nodes });
    const query = new URLSearchParams({ capturedAt: capturedAt.toISOString(), source });
    const path = `${BASE}/snapshots?${query.toString()}`;
    const answer = await ask(this.replica(), { method: 'POST', path, body: dumpOf(nodes) });
    if (answer?.status === 201) {
      ledger.snapshots.get(source)!.revision = (answer.body as { revision: number }).revision;
    } else if (!isDisturbed() || (answer !== undefined && answer.status !== 503)) {
      ledger.violation(`a snapshot was answered ${answer?.status}: ${JSON.stringify(answer?.body)}`);
    }
  }
}
