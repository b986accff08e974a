import { SharedList } from '../collections/shared-list.js';
import { stepSorted } from '../collections/step-sorted.js';
import { compare } from '../json/compare.js';
import type { Int64, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { allocatableVector } from '../resources/request-vector.js';
import { internText } from './intern-table.js';
import type { InternedTables } from './interned-tables.js';
import type { LabelColumn, NodeTable } from './node-table.js';
import type { PodColumns } from './pod-columns.js';
import { addRequest } from './pod-request.js';
import { int64, ResourceTable } from './resource-table.js';

const NO_LABELS: Labels = {};

/** The changes of nodes, and of the pods on them. */
export interface NodeChanges {
  readonly upserts: ReadonlyMap<string, Node>;
  readonly deletes: ReadonlySet<string>;
  /** The name IDs of nodes whose pods changed. */
  readonly touched: ReadonlySet<number>;
}

interface Fields {
  readonly names: readonly string[];
  readonly objects: SharedList<Node>;
  readonly nameIds: Int32Array;
  /** The node index by name ID; -1 if there is no such node, as for all IDs beyond its end. */
  readonly byNameId: Int32Array;
  readonly taintSetIds: Int32Array;
  readonly unschedulable: Uint8Array;
  readonly allocatable: ResourceTable;
  readonly requested: ResourceTable;
  readonly nonZeroRequested: ResourceTable;
  /** The label columns created so far; shared with states whose nodes have the same labels. */
  readonly labelColumns: LabelColumns;
}

/** The columns of labels that some node has, created on demand; nothing is cached for a key that no node has. */
interface LabelColumns {
  keys: ReadonlySet<string> | undefined;
  readonly read: Map<string, LabelColumn>;
}

const noLabelColumns = (): LabelColumns => ({ keys: undefined, read: new Map() });

/** The nodes of a state, sorted by name. */
export class NodeColumns implements NodeTable {
  private constructor(
    private readonly tables: InternedTables,
    private readonly fields: Fields,
    private readonly pods: PodColumns,
  ) {}

  static empty(tables: InternedTables, pods: PodColumns): NodeColumns {
    return new NodeColumns(
      tables,
      {
        names: [],
        objects: SharedList.of([]),
        nameIds: new Int32Array(0),
        byNameId: new Int32Array(0),
        taintSetIds: new Int32Array(0),
        unschedulable: new Uint8Array(0),
        allocatable: ResourceTable.zero(0),
        requested: ResourceTable.zero(0),
        nonZeroRequested: ResourceTable.zero(0),
        labelColumns: noLabelColumns(),
      },
      pods,
    );
  }

  /** The same nodes with forked tables, and with the given pods. */
  over(tables: InternedTables, pods: PodColumns): NodeColumns {
    return new NodeColumns(tables, this.fields, pods);
  }

  get count(): number {
    return this.fields.names.length;
  }

  get taintSetIds(): Int32Array {
    return this.fields.taintSetIds;
  }

  get unschedulable(): Uint8Array {
    return this.fields.unschedulable;
  }

  get allocatable(): ResourceTable {
    return this.fields.allocatable;
  }

  get requested(): ResourceTable {
    return this.fields.requested;
  }

  get nonZeroRequested(): ResourceTable {
    return this.fields.nonZeroRequested;
  }

  name(index: number): string {
    return this.node(index).metadata.name;
  }

  indexOf(name: string): number {
    const id = this.tables.strings.find(name);
    return id === undefined ? -1 : this.indexOfNameId(id);
  }

  /** The index of the node with a name ID, or -1. */
  indexOfNameId(id: number): number {
    return this.fields.byNameId[id] ?? -1;
  }

  node(index: number): Node {
    const node = this.fields.objects.at(index);
    if (node === undefined) throw new RangeError(`no node ${index}`);
    return node;
  }

  all(): readonly Node[] {
    return this.fields.objects.all();
  }

  labels(index: number): Labels {
    return this.node(index).metadata.labels ?? NO_LABELS;
  }

  labelColumn(key: string): LabelColumn | undefined {
    const { labelColumns } = this.fields;
    labelColumns.keys ??= this.readLabelKeys();
    if (!labelColumns.keys.has(key)) return undefined;
    let column = labelColumns.read.get(key);
    if (column === undefined) labelColumns.read.set(key, (column = this.readLabel(key)));
    return column;
  }

  labelKeys(): readonly string[] {
    const { labelColumns } = this.fields;
    labelColumns.keys ??= this.readLabelKeys();
    return [...labelColumns.keys].sort();
  }

  private readLabelKeys(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const node of this.fields.objects.all()) {
      for (const key of Object.keys(node.metadata.labels ?? NO_LABELS)) keys.add(key);
    }
    return keys;
  }

  taintSetId(index: number): number {
    return this.fields.taintSetIds[index]!;
  }

  podsOf(index: number): Int32Array {
    return this.pods.podsNaming(this.fields.nameIds[index]!);
  }

  /** The same nodes with some complete rows of `requested` replaced. */
  withRequested(rows: ReadonlyMap<number, ReadonlyMap<string, Int64>>): NodeColumns {
    const requested = this.fields.requested.withRows(rows);
    return new NodeColumns(this.tables, { ...this.fields, requested }, this.pods);
  }

  /** The nodes after the changes, with the given pods; columns with unchanged values are shared. Pauses after each node. */
  *stepApply({ upserts, deletes, touched }: NodeChanges, pods: PodColumns): Generator<undefined, NodeColumns> {
    const old = this.fields;
    const removed = [...deletes].some((name) => !upserts.has(name) && this.indexOf(name) >= 0);
    const added = [...upserts.keys()].some((name) => this.indexOf(name) < 0);
    const base = removed || added ? yield* this.rearranged(upserts, deletes) : old;

    const changed = new Map<number, Node>();
    // The requests of a node's pods do not depend on the node, unless it is new.
    const recount = new Set<number>();
    for (const [name, node] of upserts) {
      const index = base.byNameId[this.tables.stringId(name)]!;
      changed.set(index, node);
      if (added && this.indexOf(name) < 0) recount.add(index);
      yield;
    }
    for (const id of touched) {
      const index = base.byNameId[id] ?? -1;
      if (index >= 0) recount.add(index);
    }
    const held = yield* this.heldOn(base, recount, pods);
    if (changed.size === 0) return new NodeColumns(this.tables, { ...base, ...held }, pods);

    const objects = base.objects.with(changed);
    const taintSetIds = base.taintSetIds.slice();
    const unschedulable = base.unschedulable.slice();
    const relabelled: Relabelled[] = [];
    const resized = new Map<number, Node>();
    for (const [index, node] of changed) {
      const former = base.objects.at(index)!;
      if (!sameText(former.metadata.labels, node.metadata.labels)) {
        relabelled.push({
          index,
          before: former.metadata.labels ?? NO_LABELS,
          after: node.metadata.labels ?? NO_LABELS,
        });
      }
      // A new node has itself as its former object.
      if (former === node || former.status?.allocatable !== node.status?.allocatable) resized.set(index, node);
      taintSetIds[index] = this.tables.taintSetId(node.spec?.taints);
      unschedulable[index] = node.spec?.unschedulable === true ? 1 : 0;
      yield;
    }
    const amounts = new Map<number, ReadonlyMap<string, Int64>>();
    for (const [index, node] of resized) {
      amounts.set(index, allocatableOf(node));
      yield;
    }
    const allocatable = yield* base.allocatable.stepWithRows(amounts);
    const labelColumns = base === old ? relabel(base.labelColumns, relabelled, objects.length) : noLabelColumns();
    return new NodeColumns(
      this.tables,
      { ...base, ...held, objects, taintSetIds, unschedulable, allocatable, labelColumns },
      pods,
    );
  }

  get approximateBytes(): number {
    const { allocatable, requested, nonZeroRequested } = this;
    const columns = [allocatable, requested, nonZeroRequested];
    return columns.reduce((sum, { approximateBytes }) => sum + approximateBytes, this.count * 4000);
  }

  /** Adds up the requests of the pods on some nodes again. */
  private *heldOn(
    { requested, nonZeroRequested, nameIds }: Fields,
    nodes: Iterable<number>,
    pods: PodColumns,
  ): Generator<undefined, Pick<Fields, 'requested' | 'nonZeroRequested'>> {
    const rows = new Map<number, ReadonlyMap<string, Int64>>();
    const nonZeroRows = new Map<number, ReadonlyMap<string, Int64>>();
    for (const node of nodes) {
      const row = new Map<string, Int64>();
      const nonZeroRow = new Map<string, Int64>();
      for (const pod of pods.podsNaming(nameIds[node]!)) {
        if (!pods.active(pod)) continue;
        const { entries, nonZeroEntries } = pods.request(pod);
        addRequest(row, entries);
        addRequest(nonZeroRow, nonZeroEntries);
      }
      rows.set(node, row);
      nonZeroRows.set(node, nonZeroRow);
      yield;
    }
    return {
      requested: yield* requested.stepWithRows(rows),
      nonZeroRequested: yield* nonZeroRequested.stepWithRows(nonZeroRows),
    };
  }

  /** The columns for the new names; rows of new nodes have their object and zeros. */
  private *rearranged(upserts: ReadonlyMap<string, Node>, deletes: ReadonlySet<string>): Generator<undefined, Fields> {
    const old = this.fields;
    const kept = old.names.filter((name) => !deletes.has(name) || upserts.has(name));
    const known = new Set(kept);
    for (const name of upserts.keys()) if (!known.has(name)) kept.push(name);
    const names = yield* stepSorted(kept, compare);
    const nameIds = Int32Array.from(names, (name) => this.tables.stringId(name));
    const byNameId = new Int32Array(this.tables.strings.size).fill(-1);
    nameIds.forEach((id, index) => (byNameId[id] = index));
    const from = Int32Array.from(nameIds, (id) => this.indexOfNameId(id));
    return {
      names,
      objects: SharedList.of(names.map((name, index) => old.objects.at(from[index]!) ?? upserts.get(name)!)),
      nameIds,
      byNameId,
      taintSetIds: from.map((index) => (index >= 0 ? old.taintSetIds[index]! : 0)),
      unschedulable: Uint8Array.from(from, (index) => (index >= 0 ? old.unschedulable[index]! : 0)),
      allocatable: old.allocatable.gather(from),
      requested: old.requested.gather(from),
      nonZeroRequested: old.nonZeroRequested.gather(from),
      labelColumns: noLabelColumns(),
    };
  }

  private readLabel(key: string): LabelColumn {
    const { objects } = this.fields;
    const valueIds = new Int32Array(objects.length).fill(-1);
    const ids = new Map<string, number>();
    objects.all().forEach(({ metadata }, index) => {
      if (metadata.labels === undefined || !Object.hasOwn(metadata.labels, key)) return;
      const value = metadata.labels[key]!;
      let id = ids.get(value);
      if (id === undefined) ids.set(value, (id = ids.size));
      valueIds[index] = id;
    });
    return { valueIds, values: [...ids.keys()] };
  }
}

/** The labels of a node before and after a change. */
interface Relabelled {
  readonly index: number;
  readonly before: Labels;
  readonly after: Labels;
}

/** Columns of which more rows change than this are read again when they are asked for. */
const MAX_PATCHED_ROWS = 64;

/** The label columns after changes of some nodes; columns with unchanged values are shared, and the others patched. */
function relabel({ keys, read }: LabelColumns, changes: readonly Relabelled[], count: number): LabelColumns {
  if (changes.length === 0) return { keys, read };
  const byKey = new Map<string, RowChange[]>();
  for (const { index, before, after } of changes) {
    for (const key of Object.keys({ ...before, ...after })) {
      const had = Object.hasOwn(before, key);
      const value = Object.hasOwn(after, key) ? after[key]! : undefined;
      if (had && before[key] === value) continue;
      const rows = byKey.get(key);
      if (rows === undefined) byKey.set(key, [{ index, value }]);
      else rows.push({ index, value });
    }
  }
  const columns = new Map(read);
  const known = keys === undefined ? undefined : new Set(keys);
  let areKeysKnown = true;
  for (const [key, rows] of byKey) {
    const column = known?.has(key) === false ? noValues(count) : read.get(key);
    const patched = column === undefined || rows.length > MAX_PATCHED_ROWS ? undefined : patch(column, rows);
    if (patched !== undefined && patched.values.length > 0) columns.set(key, patched);
    else columns.delete(key);
    if (rows.some(({ value }) => value !== undefined)) known?.add(key);
    else if (patched === undefined)
      areKeysKnown = false; // Another node may still have the key.
    else if (patched.values.length === 0) known?.delete(key);
  }
  return { keys: areKeysKnown ? known : undefined, read: columns };
}

interface RowChange {
  readonly index: number;
  /** Undefined: the node lacks the label. */
  readonly value: string | undefined;
}

const noValues = (count: number): LabelColumn => ({ valueIds: new Int32Array(count).fill(-1), values: [] });

/** The column as it would be read after the changes: values that no node has are left out, and IDs are in the order of the nodes. */
function patch({ valueIds: before, values }: LabelColumn, rows: readonly RowChange[]): LabelColumn {
  const valueIds = before.slice();
  const known = [...values];
  for (const { index, value } of rows) {
    let id = value === undefined ? -1 : known.indexOf(value);
    if (id < 0 && value !== undefined) id = known.push(value) - 1;
    valueIds[index] = id;
  }
  const renumbered = new Int32Array(known.length).fill(-1);
  const kept: string[] = [];
  for (let node = 0; node < valueIds.length; node++) {
    const id = valueIds[node]!;
    if (id < 0) continue;
    if (renumbered[id] === -1) renumbered[id] = kept.push(known[id]!) - 1;
    valueIds[node] = renumbered[id]!;
  }
  return { valueIds, values: kept };
}

/**
 * A node's allocatable amounts as entries of a resource table. A stored node with an invalid quantity (the API server would
 * have refused it; it is a finding) counts as empty.
 */
function allocatableOf(node: Node): ReadonlyMap<string, Int64> {
  try {
    const vector = allocatableVector(node.status?.allocatable);
    return new Map([
      ['cpu', int64(vector.milliCPU)],
      ['memory', int64(vector.memory)],
      ['ephemeral-storage', int64(vector.ephemeralStorage)],
      ['pods', int64(vector.pods)],
      ...[...vector.scalars].map(([name, amount]) => [name, int64(amount)] as const),
    ]);
  } catch (error) {
    if (error instanceof QuantityError) return new Map();
    throw error;
  }
}

const sameText = (a: Labels | undefined, b: Labels | undefined): boolean => a === b || internText(a) === internText(b);
