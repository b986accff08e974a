import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { nodeHistory } from '../src/contract/taint-trail/node-history.js';
import type { trailRecord } from '../src/contract/taint-trail/trail-record.js';
import type { trailVerification } from '../src/contract/taint-trail/trail.js';
import type { Response } from '../src/contract/schema.js';
import type { taintChange, taintChangeOutcome } from '../src/contract/taint-changes/taint-change.js';
import { RefusedError } from './api-client.js';
import type { Conversation } from './conversation.js';
import { CLUSTERS_FOLDER } from './demo-clusters.js';
import type { Terminal } from './terminal.js';

const CLUSTER = '/clusters/demo-eks';
const NODE = 'duckboat-01';
const NODES_FILE = 'eks-nodes.json';
const TAINT = { key: 'maintenance', value: 'true', effect: 'NoExecute' };
const CHANGE = { nodes: [NODE], taints: ['maintenance=true:NoExecute'], reason: 'new kernel, OPS-17' };

/**
 * Asks who set a taint, then previews a change, makes it, has it confirmed and reverts it. Writes have idempotency keys, so a
 * second start writes nothing twice and prints the same.
 */
export class ChangeOnRecord {
  private readonly terminal: Terminal;

  constructor(private readonly conversation: Conversation) {
    this.terminal = conversation.terminal;
  }

  async askAll(): Promise<void> {
    await this.whoSetIt();
    await this.preview();
    await this.makeConfirmAndRevert();
    await this.trail();
  }

  private async whoSetIt(): Promise<void> {
    this.conversation.title(`EKS: who put the taint type=hound on ${NODE}, and how do we know?`);
    const path = `${CLUSTER}/taint-trail/nodes/${NODE}/history?key=type`;
    const { taints } = (await this.conversation.ask({ path })) as Response<typeof nodeHistory>;
    for (const { taint, from, setBy } of taints) {
      const since = from.from === null ? `set at ${from.to} or before` : `set at ${from.from}`;
      this.terminal.prose(`${taint?.text ?? 'cordoned'}: ${since}`);
      this.terminal.prose('proven:');
      for (const one of setBy?.proves ?? []) this.terminal.prose(one, 6);
      this.terminal.prose('not proven:');
      for (const one of setBy?.doesNotProve ?? []) this.terminal.prose(one, 6);
    }
  }

  private async preview(): Promise<void> {
    this.conversation.title(`EKS: what would maintenance=true:NoExecute do to ${NODE}? Asking stores nothing.`);
    const answer = await this.unlessThere();
    if (answer === undefined) return;
    const { counts, groups } = answer.effects.evictions;
    this.terminal.prose(`${counts.now} pods are evicted immediately, ${counts.after} later, ${counts.never} stay:`);
    for (const [when, words] of [
      ['now', 'immediately'],
      ['after', 'later'],
      ['never', 'stay'],
    ] as const) {
      const names = groups
        .filter((group) => group.when === when)
        .flatMap(({ workloads, seconds }) =>
          workloads.flatMap(({ workload: { namespace }, pods }) =>
            pods.map((name) => `${namespace}/${name}${seconds === null ? '' : ` after ${seconds} s`}`),
          ),
        );
      if (names.length > 0) this.terminal.prose(`${words}: ${names.join(', ')}`, 6);
    }
    for (const { message } of answer.effects.warnings.items) this.terminal.prose(`warning: ${message}`);
    this.terminal.prose('to make the change in the cluster:');
    for (const command of answer.kubectl) this.terminal.line(`      ${command}`);
  }

  /** The preview; undefined if a start that was interrupted has left the taint. */
  private async unlessThere(): Promise<Response<typeof taintChangeOutcome> | undefined> {
    try {
      const asked = { ...CHANGE, dryRun: true };
      return (await this.conversation.askJson(`${CLUSTER}/taint-changes`, asked)) as Response<
        typeof taintChangeOutcome
      >;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.terminal.prose('The node has the taint already: a former start was interrupted.');
      return undefined;
    }
  }

  private async makeConfirmAndRevert(): Promise<void> {
    this.conversation.title('EKS: make the change, see it confirmed, revert it.');
    const path = `${CLUSTER}/taint-changes`;
    const key = { 'idempotency-key': 'demo-change' };
    const made = (await this.conversation.askJson(path, CHANGE, key)) as Response<typeof taintChangeOutcome>;
    const { id, revision } = made.change!;
    this.terminal.prose(`${made.nodes[0]?.message ?? ''}: an intent, revision ${revision}, until the cluster shows it`);
    await this.confirm(id);
    const back = (await this.conversation.askJson(
      `${path}/${id}/revert`,
      { reason: 'kernel installed, OPS-17' },
      { 'idempotency-key': 'demo-revert' },
    )) as Response<typeof taintChangeOutcome>;
    this.terminal.prose(`reverted; to do the same in the cluster: ${back.kubectl.join('; ')}`);
  }

  /** Sends the nodes as the cluster would show them after somebody has tainted the node, unless a former start did so. */
  private async confirm(id: string): Promise<void> {
    const path = `${CLUSTER}/taint-changes/${id}`;
    const read = async () => (await this.conversation.client.ask({ path })) as Response<typeof taintChangeOutcome>;
    const body = await this.nodesWithTheTaint();
    const snapshot = { path: `${CLUSTER}/snapshots?kinds=Node`, body, contentType: 'application/json' };
    this.conversation.show(snapshot, '--data-binary @-');
    const { status }: Pick<Response<typeof taintChange>, 'status'> = (await read()).change!;
    if (status === 'recorded') await this.conversation.client.ask(snapshot);
    const [node] = (await read()).nodes;
    this.terminal.prose(`a snapshot of the nodes after that: ${node?.status} by revision ${node?.evidence?.revision}`);
  }

  private async nodesWithTheTaint(): Promise<string> {
    const text = await readFile(join(this.conversation.root, CLUSTERS_FOLDER, NODES_FILE), 'utf8');
    const list = JSON.parse(text) as { readonly items: readonly DumpedNode[] };
    for (const { metadata, spec } of list.items) if (metadata.name === NODE) spec.taints.unshift(TAINT);
    return JSON.stringify(list);
  }

  private async trail(): Promise<void> {
    this.conversation.title('EKS: what is on the audit trail, and is the trail intact?');
    const path = `${CLUSTER}/taint-trail/records?order=oldest`;
    const { items } = (await this.conversation.ask({ path })) as {
      readonly items: readonly Response<typeof trailRecord>[];
    };
    this.terminal.table(
      items.map(({ sequence, when, by, node, summary, reason }) => [
        `${sequence}`,
        when.to,
        by?.username ?? '',
        node ?? '',
        reason === null || summary.endsWith(reason) ? summary : `${summary} (${reason})`,
      ]),
    );
    const verified = (await this.conversation.ask({ path: `${CLUSTER}/taint-trail/verify` })) as Response<
      typeof trailVerification
    >;
    const holds = verified.holds ? 'the chain is intact' : `BROKEN: ${JSON.stringify(verified.fault)}`;
    this.terminal.line(`   ${this.terminal.bold(`${verified.verified} records: ${holds}`)}`);
  }
}

interface DumpedNode {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly taints: object[] };
}
