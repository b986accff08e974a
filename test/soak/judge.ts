import { hash } from 'node:crypto';
import { canonicalJson } from '../../src/core/audit/canonical-json.js';
import { verifyChain } from '../../src/core/audit/hash-chain.js';
import { Fold, wordsOf } from './fold.js';
import type { Acknowledged, Ledger, Sample } from './ledger.js';
import { type ListedNode, renderListed } from './rendered-node.js';
import { QUESTION } from './reader.js';
import type { ServiceProcess } from '../support/service-process.js';
import { ask, settle } from './soak-client.js';
import { BASE, CLUSTER, FIRST_NODES } from './soak-cluster.js';
import { differenceIn, readHistory, type StoredChange, type StoredHistory } from './stored-history.js';

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** What one writer knows about its own taint. */
export interface OwnTaint {
  readonly key: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Compares the responses with the stored state, and all replicas with a newly started one. */
export class Judge {
  /** Records of the trail that were verified. */
  records = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly databaseUrl: string,
  ) {}

  async run(replicas: readonly ServiceProcess[], fresh: ServiceProcess, writers: readonly OwnTaint[]): Promise<void> {
    const history = await readHistory(this.databaseUrl, CLUSTER);
    this.judgeRevisions(history);
    this.judgeChanges(history);
    this.judgeChain(history);
    this.judgeRecords(history);
    const last = this.judgeFold(history);
    await this.judgeNodes(fresh, last, writers);
    await this.judgeReplicas([fresh, ...replicas]);
    await this.judgeReads(fresh);
    await this.judgeVerification(fresh, history.trail.length);
  }

  private judgeRevisions({ head, revisions, changes, wrongNodes }: StoredHistory): void {
    const numbers = revisions.map(({ number }) => number);
    const gap = numbers.findIndex((number, index) => number !== index + 1);
    if (gap >= 0) this.complain(`revision ${gap + 1} is missing: ${numbers[gap]} stands there`);
    if (numbers.at(-1) !== head)
      this.complain(`the head is ${head}, and the last revision ${numbers.at(-1) ?? 'none'}`);
    const made = revisions.filter(({ kind }) => kind === 'taintChange').map(({ number }) => number);
    this.same(
      'revisions of changes',
      made,
      changes.map(({ revision }) => revision),
    );
    for (const name of wrongNodes) this.complain(`${name} has not just one current version`);
    for (const [source, { revision }] of this.ledger.snapshots) {
      const stored = revisions.filter((one) => one.source === source);
      if (stored.length > 1) this.complain(`${source} was stored ${stored.length} times`);
      if (revision !== undefined && stored[0]?.number !== revision) this.complain(`${source} was lost`);
    }
  }

  /** Each acknowledged change is stored once, and nothing else except expiries. */
  private judgeChanges({ changes }: StoredHistory): void {
    const byReason = new Map<string, StoredChange[]>();
    for (const change of changes) byReason.set(change.reason, [...(byReason.get(change.reason) ?? []), change]);
    for (const { reason, id, revision } of this.ledger.acknowledged.values()) {
      const stored = byReason.get(reason) ?? [];
      const [one] = stored;
      if (stored.length !== 1)
        this.complain(`${reason} was acknowledged as ${id}, and is there ${stored.length} times`);
      else if (one!.id !== id || one!.revision !== revision) {
        this.complain(`${reason} was acknowledged as ${id} at ${revision}, and is ${one!.id} at ${one!.revision}`);
      }
    }
    for (const [reason, why] of this.ledger.absent) {
      if (byReason.has(reason)) this.complain(`${reason} is there, and was answered ${why}`);
    }
    const known = new Map(changes.map((change) => [change.id, change]));
    for (const change of changes) {
      if (this.ledger.acknowledged.has(change.reason)) continue;
      const undone = change.action === 'expiry' ? known.get(change.undoes ?? '') : undefined;
      if (undone === undefined) this.complain(`${change.reason} (${change.id}) is there, and nobody was told of it`);
      else if (undone.undoneBy !== change.id || undone.expiry !== 'done') {
        this.complain(
          `${change.id} is the expiry of ${undone.id}, which is ${undone.expiry ?? ''} by ${undone.undoneBy ?? ''}`,
        );
      }
    }
    for (const { id, expiry } of changes) if (expiry === 'pending') this.complain(`${id} has not expired`);
  }

  private judgeChain({ trail }: StoredHistory): void {
    const records = trail.map(({ hash: own, content: text }) => {
      const { sequence, previousHash, ...content } = JSON.parse(text) as Record<string, unknown>;
      return { sequence: sequence as number, previousHash: previousHash as string, hash: own, content };
    });
    const { verified, fault } = verifyChain(records, sha256);
    this.records += verified;
    if (fault !== undefined) this.complain(`the chain does not hold: ${JSON.stringify(fault)}`);
    for (const [sequence, told] of this.ledger.checkpoints) {
      const own = trail[sequence - 1]?.hash;
      if (sequence > 0 && own !== told)
        this.complain(`record ${sequence} was told as ${told}, and is ${own ?? 'lost'}`);
    }
    this.same(
      'numbers of records',
      trail.map(({ sequence }) => sequence),
      trail.map((_, index) => index + 1),
    );
  }

  /** No record without its change, and no change without its records. */
  private judgeRecords({ trail, changes, intents }: StoredHistory): void {
    const known = new Map(changes.map((change) => [change.id, change]));
    const nodesOf = new Map<string, string[]>();
    const note = (id: string, node: string): void => void nodesOf.set(id, [...(nodesOf.get(id) ?? []), node]);
    for (const { sequence, kind, changeId, revision, channel, node } of trail) {
      const change = changeId === null ? undefined : known.get(changeId);
      if (changeId !== null && change === undefined)
        this.complain(`record ${sequence} is of ${changeId}, which is not there`);
      // An expiry that changed nothing has a record but no revision.
      if (kind === 'request' && revision !== null && change?.sequence !== sequence) {
        this.complain(
          `record ${sequence} is a request of ${changeId ?? ''}, whose record is ${change?.sequence ?? 'none'}`,
        );
      }
      if (kind !== 'change' || channel !== 'api' || change === undefined) continue;
      if (change.revision !== revision) this.complain(`record ${sequence} has another revision than its change`);
      note(change.id, node!);
    }
    const intended = new Map<string, string[]>();
    for (const { changeId, node } of intents) intended.set(changeId, [...(intended.get(changeId) ?? []), node]);
    for (const { id, outcomes } of changes) {
      const changed = outcomes
        .filter(({ outcome }) => outcome === 'changed')
        .map(({ node }) => node)
        .sort();
      this.same(`records of ${id}`, (nodesOf.get(id) ?? []).sort(), changed);
      this.same(`intents of ${id}`, (intended.get(id) ?? []).sort(), changed);
    }
  }

  /** Replays all changes in the order of their revisions. @returns the final nodes */
  private judgeFold({ revisions, changes, trail }: StoredHistory): ReadonlyMap<string, string> {
    const fold = new Fold(FIRST_NODES);
    const atRevision = new Map(changes.map((change) => [change.revision, change]));
    const recorded = new Map(
      trail.filter(({ kind }) => kind === 'change').map((row) => [`${row.changeId ?? ''} ${row.node ?? ''}`, row]),
    );
    const samples = new Map<number, Sample[]>();
    for (const sample of this.ledger.samples) {
      samples.set(sample.revision, [...(samples.get(sample.revision) ?? []), sample]);
    }
    for (const { number, kind, source } of revisions) {
      if (kind === 'taintChange') this.foldChange(fold, atRevision.get(number)!, recorded);
      else if (number > 1) fold.snapshot(this.ledger.snapshots.get(source!)!);
      const rendered = fold.rendered();
      for (const { nodes } of samples.get(number) ?? []) {
        for (const { name, text } of nodes) {
          const wanted = rendered.get(name);
          if (wanted !== text)
            this.complain(`${name} was read as ${text} at revision ${number}; it was ${wanted ?? ''}`);
        }
      }
    }
    return fold.rendered();
  }

  private foldChange(
    fold: Fold,
    stored: StoredChange,
    recorded: ReadonlyMap<string, StoredHistory['trail'][number]>,
  ): void {
    const said: Acknowledged | undefined = this.ledger.acknowledged.get(stored.reason);
    const asked = said?.asked ?? { kind: 'revert', undoes: stored.undoes! };
    try {
      const changed = fold.change(asked, stored);
      for (const [name, { difference }] of changed) {
        const row = recorded.get(`${stored.id} ${name}`);
        if (row === undefined) this.complain(`${stored.id} changed ${name}, which no record says`);
        else this.same(`record ${row.sequence}`, canonicalJson(differenceIn(row)), canonicalJson(difference));
        const words = wordsOf(difference);
        if (said !== undefined)
          this.same(`answer to ${stored.reason} of ${name}`, said.differences.get(name) ?? [], words);
      }
    } catch (error) {
      this.complain(`revision ${stored.revision} (${stored.reason}) cannot be: ${(error as Error).message}`);
    }
  }

  /** No update was lost, including those of each writer's own taint. */
  private async judgeNodes(
    service: ServiceProcess,
    wanted: ReadonlyMap<string, string>,
    writers: readonly OwnTaint[],
  ): Promise<void> {
    const nodes = await nodesOf(service);
    for (const node of nodes) {
      const { name, text } = renderListed(node);
      if (wanted.get(name) !== text) this.complain(`${name} is ${text}; it should be ${wanted.get(name) ?? 'absent'}`);
      for (const { key, values } of writers) {
        const own = node.taints.find((taint) => taint.key === key)?.value;
        if (own !== values.get(name)) {
          this.complain(`${key} is ${own ?? 'absent'} on ${name}; its writer left ${values.get(name) ?? 'none'}`);
        }
      }
    }
  }

  private async judgeReplicas(services: readonly ServiceProcess[]): Promise<void> {
    const questions = [
      { method: 'GET', path: `${BASE}/nodes?limit=500` },
      { method: 'GET', path: `${BASE}/nodes?limit=500&intents=exclude` },
      { method: 'GET', path: `${BASE}/taint-changes?limit=500` },
      { method: 'GET', path: `${BASE}/taint-sets?limit=500` },
      { method: 'GET', path: `${BASE}/taint-trail/records?limit=500` },
      { method: 'POST', path: `${BASE}/placements`, body: QUESTION },
    ] as const;
    for (const question of questions) {
      const answers = await Promise.all(services.map((service) => settle(() => service, question)));
      const texts = answers.map(({ answer: { body } }) =>
        JSON.stringify(body, (name, value: unknown) =>
          ['decisionId', 'ageSeconds', 'continue'].includes(name) ? 0 : value,
        ),
      );
      for (const [index, service] of services.entries()) {
        const [own, first] = [texts[index]!, texts[0]!];
        if (own === first) continue;
        const at = Math.max(placeOfDifference(own, first) - 100, 0);
        const [a, b] = [own, first].map((text) => text.slice(at, at + 200));
        this.complain(`${service.name} answers ${question.path} otherwise than one just started: ${a} and not ${b}`);
      }
    }
  }

  /** Acknowledged changes are found over HTTP: the newest, and a sample of all. */
  private async judgeReads(service: ServiceProcess): Promise<void> {
    const all = [...this.ledger.acknowledged.values()];
    const some = all.filter((_, index) => index % Math.ceil(all.length / 200) === 0 || index > all.length - 50);
    for (const { id, revision, reason } of some) {
      const answer = await ask(service, { method: 'GET', path: `${BASE}/taint-changes/${id}` });
      const { change } = (answer?.body ?? {}) as { change?: { revision: number; reason: string } };
      this.same(`what is read of ${id}`, [change?.revision, change?.reason], [revision, reason]);
    }
  }

  /** The service's own verification agrees. */
  private async judgeVerification(service: ServiceProcess, records: number): Promise<void> {
    const { answer } = await settle(() => service, { method: 'GET', path: `${BASE}/taint-trail/verify` });
    const { holds, trail } = answer.body as { holds?: boolean; trail?: { recordCount: number } };
    this.same('what the service says of its trail', [answer.status, holds, trail?.recordCount], [200, true, records]);
  }

  private same(what: string, found: unknown, wanted: unknown): void {
    const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (a !== b) this.complain(`${what}: ${a.slice(0, 500)} instead of ${b.slice(0, 500)}`);
  }

  private complain(message: string): void {
    this.ledger.violation(message);
  }
}

function placeOfDifference(a: string, b: string): number {
  let place = 0;
  while (place < a.length && a[place] === b[place]) place += 1;
  return place;
}

async function nodesOf(service: ServiceProcess): Promise<readonly ListedNode[]> {
  const { answer } = await settle(() => service, { method: 'GET', path: `${BASE}/nodes?limit=500` });
  return (answer.body as { items: readonly ListedNode[] }).items;
}
