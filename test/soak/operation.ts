import type { Random } from '../../bench/generator/random.js';
import type { GivenTaintEdit } from '../../src/core/taint-change/read-taint-edit.js';
import type { AskedOperation, Acknowledged, Ledger } from './ledger.js';
import { BASE, NEVER, NODE_NAMES } from './soak-cluster.js';

/** A request of a writer. */
export interface Operation {
  readonly path: string;
  readonly body: object;
  readonly ifMatch?: string;
  readonly asked: AskedOperation;
  /** `made`: it must succeed, whatever others do. `refused`: it must be refused. */
  readonly expects: 'made' | 'refused' | 'either';
  /** What the writer knows after it has succeeded. */
  readonly made?: (acknowledged: Acknowledged) => void;
}

const CHANGES = `${BASE}/taint-changes`;
const SHARED_KEYS = ['shared/a', 'shared/b', 'shared/c'] as const;

/** The requests of one writer: about its own taints, which nobody else changes, and about nodes that all writers share. */
export class Operations {
  /** The value of its own taint, by node, according to all responses. */
  readonly own = new Map<string, string>();
  readonly key: string;
  /** Its last change of its own taint, and the value before. */
  private last: { readonly id: string; readonly before: ReadonlyMap<string, string | undefined> } | undefined;
  private reverted: string | undefined;
  private lastShared: string | undefined;
  private readonly home: readonly [string, ...string[]];
  private count = 0;

  constructor(
    private readonly writer: number,
    private readonly random: Random,
    private readonly ledger: Ledger,
  ) {
    this.key = `soak/w${writer}`;
    const start = random.below(NODE_NAMES.length);
    this.home = [0, 7, 13].map((step) => NODE_NAMES[(start + step) % NODE_NAMES.length]!) as [string, ...string[]];
  }

  next(): Operation {
    this.count += 1;
    const draw = this.random.next();
    if (draw < 0.3) return this.setOwn();
    if (draw < 0.38) return this.removeOwn() ?? this.setOwn();
    if (draw < 0.46) return this.revertOwn() ?? this.setOwn();
    if (draw < 0.56) return { ...this.setOwn(), ifMatch: `"${this.ledger.highest}"`, expects: 'either' };
    if (draw < 0.68) return this.setShared();
    if (draw < 0.72) return this.removeShared();
    if (draw < 0.76) return this.revertShared() ?? this.setShared();
    if (draw < 0.84) return this.cordon();
    if (draw < 0.88) return this.change([this.anyNode()], { taints: [`${NEVER}${this.unique()}=x:NoExecute`] }, 'made');
    if (draw < 0.9) return this.expiring();
    return this.refused();
  }

  private setOwn(): Operation {
    const nodes = this.home.filter(() => this.random.chance(0.4));
    const some = nodes.length === 0 ? [this.random.pick(this.home)] : nodes;
    const value = this.unique();
    const labels = this.random.chance(0.2) ? { labels: [`${this.key}=${value}`] } : {};
    return this.changeOwn(
      some,
      { taints: [`${this.key}=${value}:NoSchedule`], ...labels, overwrite: true },
      () => value,
    );
  }

  private removeOwn(): Operation | undefined {
    const node = [...this.own.keys()][0];
    if (node === undefined) return undefined;
    return this.changeOwn([node], { taints: [`${this.key}:NoSchedule-`] }, () => undefined);
  }

  private changeOwn(nodes: readonly string[], edit: GivenTaintEdit, valueOn: () => string | undefined): Operation {
    return {
      ...this.change(nodes, edit, 'made'),
      made: ({ id }) => {
        this.last = { id, before: new Map(nodes.map((node) => [node, this.own.get(node)])) };
        for (const node of nodes) this.know(node, valueOn());
      },
    };
  }

  private revertOwn(): Operation | undefined {
    const { last } = this;
    if (last === undefined) return undefined;
    return {
      ...this.revert(last.id, 'made'),
      made: () => {
        for (const [node, value] of last.before) this.know(node, value);
        this.last = undefined;
        this.reverted = last.id;
      },
    };
  }

  private setShared(): Operation {
    const word = `${this.random.pick(SHARED_KEYS)}=${this.unique()}:PreferNoSchedule`;
    const nodes = this.random.chance(0.1) ? 'all' : [this.anyNode()];
    return {
      ...this.change(nodes, { taints: [word], overwrite: true }, 'made'),
      made: ({ id }) => (this.lastShared = id),
    };
  }

  private removeShared(): Operation {
    return this.change([this.anyNode()], { taints: [`${this.random.pick(SHARED_KEYS)}-`] }, 'either');
  }

  private revertShared(): Operation | undefined {
    const id = this.lastShared;
    this.lastShared = undefined;
    return id === undefined ? undefined : this.revert(id, 'either');
  }

  private cordon(): Operation {
    return this.change([this.anyNode()], { unschedulable: this.random.chance(0.5) }, 'either');
  }

  private expiring(): Operation {
    const expiresAt = new Date(Date.now() + 500 + this.random.below(2_000)).toISOString();
    const made = this.change([this.anyNode()], { taints: [`soak/expires-${this.unique()}=x:NoSchedule`] }, 'either');
    return { ...made, body: { ...made.body, expiresAt } };
  }

  private refused(): Operation {
    const value = this.unique();
    const [owned] = this.own.keys();
    const { reverted } = this;
    const ways: [() => Operation, ...(() => Operation)[]] = [
      () => this.change(this.home, { taints: [`absent/${value}-`] }, 'refused'),
      () => this.change(this.home, { taints: [`bad/${value}=x:Never`] }, 'refused'),
      () => this.change([...this.home, `nobody-${value}`], { taints: [`${this.key}=${value}:NoExecute`] }, 'refused'),
      () => ({ ...this.change(this.home, { taints: [`${this.key}=${value}:NoExecute`] }, 'refused'), ifMatch: '"1"' }),
    ];
    if (owned !== undefined) {
      ways.push(() => this.change([owned], { taints: [`${this.key}=${value}:NoSchedule`] }, 'refused'));
    }
    if (reverted !== undefined) ways.push(() => this.revert(reverted, 'refused'));
    return this.random.pick(ways)();
  }

  private change(nodes: readonly string[] | 'all', edit: GivenTaintEdit, expects: Operation['expects']): Operation {
    const targets = nodes === 'all' ? { allNodes: true } : { nodes };
    return { path: CHANGES, body: { ...targets, ...edit }, asked: { kind: 'change', nodes, edit }, expects };
  }

  private revert(id: string, expects: Operation['expects']): Operation {
    return { path: `${CHANGES}/${id}/revert`, body: {}, asked: { kind: 'revert', undoes: id }, expects };
  }

  private know(node: string, value: string | undefined): void {
    if (value === undefined) this.own.delete(node);
    else this.own.set(node, value);
  }

  private anyNode(): string {
    return NODE_NAMES[this.random.below(NODE_NAMES.length)]!;
  }

  private unique(): string {
    return `v${this.writer}-${this.count}`;
  }
}
