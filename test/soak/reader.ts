import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../bench/generator/random.js';
import { anyReplica, type Phase } from './phase.js';
import { type ListedNode, renderListed } from './rendered-node.js';
import type { ServiceProcess } from '../support/service-process.js';
import { BASE } from './soak-cluster.js';
import { ask, type SoakAnswer } from './soak-client.js';

/** Pause between two requests, to leave time for the writers. */
const PAUSE_MS = 100;

/** A pod that tolerates nothing. */
export const QUESTION = {
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asked', namespace: 'soak' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  },
  detail: 'verdicts',
};

/** Reads nodes, placements and the trail, and keeps the responses in the ledger. */
export class Reader {
  private readonly random: Random;
  private readonly replica: () => ServiceProcess;
  /** The newest revision that each replica has returned. */
  private readonly seen = new Map<ServiceProcess, number>();

  constructor(
    number: number,
    private readonly phase: Phase,
    seed: number,
  ) {
    this.random = new Random(seed * 1_000 + 500 + number);
    this.replica = anyReplica(phase, this.random);
  }

  async run(): Promise<void> {
    while (!this.phase.isOver()) {
      const questions = [() => this.nodes(), () => this.placement(), () => this.change(), () => this.trail()];
      await questions[this.random.below(questions.length)]!();
      await sleep(PAUSE_MS);
    }
  }

  private async nodes(): Promise<void> {
    const answer = await this.ask({ method: 'GET', path: `${BASE}/nodes?limit=500` });
    if (answer === undefined) return;
    const { basis, items } = answer.body as { basis: { revision: number }; items: readonly ListedNode[] };
    this.phase.ledger.sample({ revision: basis.revision, nodes: items.map(renderListed) });
  }

  private async placement(): Promise<void> {
    await this.ask({ method: 'POST', path: `${BASE}/placements`, body: QUESTION });
  }

  /** An acknowledged change is visible to everybody immediately. */
  private async change(): Promise<void> {
    const { ledger } = this.phase;
    const known = [...ledger.acknowledged.values()];
    const one = known[this.random.below(Math.max(known.length, 1))];
    if (one === undefined) return;
    const answer = await this.ask({ method: 'GET', path: `${BASE}/taint-changes/${one.id}` }, [200, 404]);
    if (answer === undefined) return;
    const { change } = answer.body as { change?: { revision: number } };
    if (change?.revision === one.revision) return;
    ledger.violation(`change ${one.id} made revision ${one.revision}, and is read as ${JSON.stringify(change)}`);
  }

  private async trail(): Promise<void> {
    const { ledger } = this.phase;
    const head = await this.ask({ method: 'GET', path: `${BASE}/taint-trail/head` });
    if (head !== undefined) {
      const { sequence, hash } = head.body as { sequence: number; hash: string };
      const known = ledger.checkpoints.get(sequence);
      if (known !== undefined && known !== hash)
        ledger.violation(`record ${sequence} has the hashes ${known} and ${hash}`);
      ledger.checkpoints.set(sequence, hash);
    }
    const page = await this.ask({ method: 'GET', path: `${BASE}/taint-trail/records?limit=50` });
    if (page === undefined) return;
    const numbers = (page.body as { items: readonly { sequence: number }[] }).items.map(({ sequence }) => sequence);
    const gap = numbers.findIndex((number, index) => index > 0 && Math.abs(number - numbers[index - 1]!) !== 1);
    if (gap >= 0) ledger.violation(`record ${numbers[gap]} follows record ${numbers[gap - 1]} in a page`);
  }

  private async ask(
    request: Parameters<typeof ask>[1],
    statuses: readonly number[] = [200],
  ): Promise<SoakAnswer | undefined> {
    const { ledger, isDisturbed } = this.phase;
    const from = this.replica();
    const before = this.seen.get(from) ?? 0;
    const answer = await ask(from, request);
    if (answer === undefined || (isDisturbed() && answer.status === 503)) return undefined;
    ledger.reads += 1;
    if (!statuses.includes(answer.status)) {
      ledger.violation(`${request.path} was answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`);
      return undefined;
    }
    const { basis } = answer.body as { basis?: { revision: number } };
    if (request.path.includes('/taint-') || basis === undefined) return answer;
    if (basis.revision < before) {
      ledger.violation(`${from.name} told of revision ${before}, and later of ${basis.revision}`);
    }
    this.seen.set(from, Math.max(before, this.seen.get(from) ?? 0, basis.revision));
    return answer;
  }
}
