import { Random } from '../../bench/generator/random.js';
import type { Acknowledged } from './ledger.js';
import { Operations, type Operation } from './operation.js';
import { anyReplica, type Phase } from './phase.js';
import type { ServiceProcess } from '../support/service-process.js';
import { settle, type SoakAnswer } from './soak-client.js';

interface ShownTaint {
  readonly text: string;
}

/** Maximum wait of an impatient caller. */
const MAX_HASTE_MS = 200;

/** The parts of the response to a change that are read. */
export interface ChangeAnswer {
  readonly basis: { readonly revision: number };
  readonly replayed: boolean;
  readonly change: { readonly id: string; readonly revision: number; readonly madeAt: string } | null;
  readonly nodes: readonly {
    readonly node: string;
    readonly version: string | null;
    readonly difference: {
      readonly added: readonly ShownTaint[];
      readonly removed: readonly ShownTaint[];
      readonly changed: readonly { readonly after: ShownTaint }[];
      readonly cordon: string | null;
    } | null;
  }[];
}

/** Changes taints, one request after another, and keeps the responses in the ledger. */
export class Writer {
  readonly operations: Operations;
  private readonly random: Random;
  private readonly replica: () => ServiceProcess;
  private count = 0;

  constructor(
    readonly number: number,
    private readonly phase: Phase,
    seed: number,
  ) {
    this.random = new Random(seed * 1_000 + number);
    this.replica = anyReplica(phase, this.random);
    this.operations = new Operations(number, this.random, phase.ledger);
  }

  async run(): Promise<void> {
    while (!this.phase.isOver()) await this.once();
  }

  private async once(): Promise<void> {
    const reason = `w${this.number}-${++this.count}`;
    const { ledger } = this.phase;
    const operation = await this.perhapsOnVersion(this.operations.next(), reason);
    const keyed = this.phase.careful || this.random.chance(0.5);
    // The same request twice concurrently, as an impatient caller does.
    const twice = keyed && this.random.chance(0.05);
    // A caller who disconnects before the response, and repeats the request.
    const patience = keyed && this.random.chance(0.1) ? this.random.below(MAX_HASTE_MS) : undefined;
    ledger.begin(reason);
    const answers = await Promise.all(
      (twice ? [1, 2] : [1]).map(() => this.send(operation, reason, keyed ? reason : undefined, patience)),
    );
    ledger.end(reason);
    this.take(reason, operation, answers, { twice, hasty: patience !== undefined });
    if (keyed && !twice && this.random.chance(0.15)) await this.repeat(operation, reason);
  }

  /** Sometimes with If-Match from a preview, which stores nothing. */
  private async perhapsOnVersion(operation: Operation, reason: string): Promise<Operation> {
    const { asked, expects } = operation;
    const isOfOne = asked.kind === 'change' && asked.nodes !== 'all' && asked.nodes.length === 1;
    if (!isOfOne || expects !== 'made' || !this.random.chance(0.2)) return operation;
    const { ledger } = this.phase;
    const preview = { ...operation, body: { ...operation.body, dryRun: true } };
    const { answer } = await this.send(preview, `preview-${reason}`, undefined);
    ledger.absent.set(`preview-${reason}`, 'a preview');
    const { change, nodes } = answer.body as ChangeAnswer;
    if (answer.status === 200 && change === null) {
      return { ...operation, ifMatch: `"${nodes[0]!.version}"`, expects: 'either' };
    }
    // It is computed on the head that the replica knows, which may be outdated.
    if (answer.status !== 409) ledger.violation(`${reason}: a preview was answered ${told(answer)}`);
    return operation;
  }

  private send(operation: Operation, reason: string, key: string | undefined, patience?: number) {
    const { path, body, ifMatch } = operation;
    const request = {
      method: 'POST',
      path,
      body: { ...body, reason },
      headers: {
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
    } as const;
    return settle(this.replica, request, patience);
  }

  private take(
    reason: string,
    operation: Operation,
    answers: readonly { readonly answer: SoakAnswer; readonly lost: number }[],
    { twice, hasty }: { readonly twice: boolean; readonly hasty: boolean },
  ): void {
    const { ledger, isDisturbed } = this.phase;
    const lost = answers.reduce((sum, one) => sum + one.lost, 0);
    if (lost > 0 && !hasty && !isDisturbed())
      ledger.violation(`${reason}: an answer was lost though nothing was killed`);
    const made = answers.map(({ answer }) => this.madeBy(reason, operation, answer));
    const [first] = made;
    const { answer } = answers[0]!;
    if (new Set(made.map((one) => one?.id)).size > 1) {
      ledger.violation(
        `${reason}: said twice at once it was answered ${answers.map((one) => told(one.answer)).join(' and ')}`,
      );
    }
    const fresh = answers.filter((one) => one.answer.status === 201).length;
    if (twice && first !== undefined && fresh !== 1 && lost === 0) ledger.violation(`${reason}: made ${fresh} times`);
    if (first === undefined) {
      ledger.absent.set(reason, told(answer));
      if (operation.expects === 'made')
        ledger.violation(`${reason}: ${describe(operation)} was answered ${told(answer)}`);
      return;
    }
    if (operation.expects === 'refused') ledger.violation(`${reason}: ${describe(operation)} was not refused`);
    ledger.acknowledged.set(reason, first);
    if (lost > 0 && fresh === 0) ledger.settled += 1;
    operation.made?.(first);
    if (lost === 0 && !twice) ledger.latencies.push(answer.milliseconds);
  }

  private madeBy(reason: string, { asked, ifMatch }: Operation, answer: SoakAnswer): Acknowledged | undefined {
    const { ledger } = this.phase;
    if (answer.status >= 500) ledger.violation(`${reason}: ${told(answer)}`);
    if (answer.status === 412) {
      const late = /is now at revision (\d+), not (\d+)/.exec(JSON.stringify(answer.body));
      if (late !== null && Number(late[1]) < Number(late[2])) ledger.violation(`${reason}: ${told(answer)}`);
    }
    if (answer.status !== 201 && answer.status !== 200) return undefined;
    const { change, nodes, basis } = answer.body as ChangeAnswer;
    if (change === null) return undefined;
    const { id, revision } = change;
    ledger.highest = Math.max(ledger.highest, revision);
    ledger.madeAt.add(Date.parse(change.madeAt));
    if (basis.revision !== revision)
      ledger.violation(`${reason}: made revision ${revision}, on the basis ${basis.revision}`);
    const wanted = /^"(\d+)"$/.exec(ifMatch ?? '')?.[1];
    if (wanted !== undefined && Number(wanted) + 1 !== revision) {
      ledger.violation(`${reason}: asked for revision ${wanted} to be the head, and made revision ${revision}`);
    }
    return { reason, id, revision, asked, differences: differencesIn(nodes) };
  }

  /** Repeats the request with its key: it must get the same response, and be made once. */
  private async repeat(operation: Operation, reason: string): Promise<void> {
    const { ledger } = this.phase;
    const former = ledger.acknowledged.get(reason);
    if (former === undefined) return;
    const { answer } = await this.send(operation, reason, reason);
    const { change, replayed } = answer.body as Partial<ChangeAnswer>;
    if (answer.status !== 200 || replayed !== true || change?.id !== former.id) {
      ledger.violation(`${reason}: made change ${former.id}, and said again it was answered ${told(answer)}`);
    }
    ledger.replayed += 1;
    if (!this.random.chance(0.2)) return;
    const other = await this.send(
      { ...operation, body: { ...operation.body, link: 'https://other.example' } },
      reason,
      reason,
    );
    if (other.answer.status !== 422)
      ledger.violation(`${reason}: another request under its key: ${told(other.answer)}`);
  }
}

/** As text, by node; nodes that do not change are absent. */
function differencesIn(nodes: ChangeAnswer['nodes']): ReadonlyMap<string, readonly string[]> {
  return new Map(
    nodes.flatMap(({ node, difference }): [string, string[]][] => {
      if (difference === null) return [];
      const { added, removed, changed, cordon } = difference;
      const words = [
        ...added.map(({ text }) => `+${text}`),
        ...removed.map(({ text }) => `-${text}`),
        ...changed.map(({ after }) => `~${after.text}`),
        ...(cordon === null ? [] : [cordon]),
      ];
      return words.length === 0 ? [] : [[node, words]];
    }),
  );
}

const describe = ({ path, body, ifMatch }: Operation): string => `${path} ${JSON.stringify(body)} ${ifMatch ?? ''}`;

function told({ status, body, from }: SoakAnswer): string {
  const { code, detail, basis } = body as Partial<ChangeAnswer> & { readonly code?: string; readonly detail?: string };
  const at = basis === undefined ? '' : `on revision ${basis.revision}`;
  return `${status} ${code ?? ''} ${detail ?? at} (${from.name})`;
}
