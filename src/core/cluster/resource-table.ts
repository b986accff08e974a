import { finish } from '../collections/finish.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { NodeResources, ResourceColumn, WritableColumn } from './node-table.js';

/** A column of int64 values: doubles for safe integers; for other values NaN, with the value in a separate map. */
class Int64Column implements WritableColumn {
  constructor(
    readonly values: Float64Array,
    private readonly beyond: Map<number, bigint>,
  ) {}

  at(node: number): Int64 {
    const value = this.values[node];
    if (value === undefined) return 0;
    return Number.isNaN(value) ? (this.beyond.get(node) ?? 0) : value;
  }

  set(node: number, value: Int64): void {
    const exact = int64(value);
    if (typeof exact === 'number') {
      this.values[node] = exact;
      this.beyond.delete(node);
    } else {
      this.values[node] = Number.NaN;
      this.beyond.set(node, exact);
    }
  }

  get isSafe(): boolean {
    return this.beyond.size === 0;
  }

  copy(): Int64Column {
    return new Int64Column(this.values.slice(), new Map(this.beyond));
  }

  /** The same values with new indexes: `from[i]` is the old index of row i, or -1 for a new row. */
  gather(from: Int32Array): Int64Column {
    const gathered = new Int64Column(new Float64Array(from.length), new Map());
    for (let i = 0; i < from.length; i++) {
      const old = from[i]!;
      if (old >= 0) gathered.set(i, this.at(old));
    }
    return gathered;
  }
}

/** By node, its amounts by resource. */
type Rows = ReadonlyMap<number, ReadonlyMap<string, Int64>>;

/** One int64 per resource and node, by column; a resource that no node has needs no column. */
export class ResourceTable implements NodeResources {
  private constructor(
    private readonly rows: number,
    private readonly columns: ReadonlyMap<string, Int64Column>,
  ) {}

  static zero(rows: number): ResourceTable {
    return new ResourceTable(rows, new Map());
  }

  get names(): readonly string[] {
    return [...this.columns.keys()];
  }

  column(resource: string): ResourceColumn | undefined {
    return this.columns.get(resource);
  }

  get isSafe(): boolean {
    for (const { isSafe } of this.columns.values()) if (!isSafe) return false;
    return true;
  }

  at(resource: string, node: number): Int64 {
    return this.columns.get(resource)?.at(node) ?? 0;
  }

  /** The same values with new indexes, like `Int64Column.gather`. */
  gather(from: Int32Array): ResourceTable {
    return new ResourceTable(
      from.length,
      new Map([...this.columns].map(([name, column]) => [name, column.gather(from)])),
    );
  }

  /** A table with some complete rows replaced; columns with unchanged values are shared. */
  withRows(rows: Rows): ResourceTable {
    return finish(this.stepWithRows(rows));
  }

  /** As `withRows`, with a pause after each row. */
  *stepWithRows(rows: Rows): Generator<undefined, ResourceTable> {
    if (rows.size === 0) return this;
    const columns = new Map(this.columns);
    const owned = new Set<string>();
    const write = (resource: string, node: number, value: Int64): void => {
      let column = columns.get(resource);
      if (column === undefined ? value === 0 : sameInt64(column.at(node), value)) return;
      if (column === undefined || !owned.has(resource)) {
        column = column?.copy() ?? new Int64Column(new Float64Array(this.rows), new Map());
        columns.set(resource, column);
        owned.add(resource);
      }
      column.set(node, value);
    };
    for (const [node, row] of rows) {
      for (const [resource, value] of row) write(resource, node, value);
      for (const resource of this.columns.keys()) if (!row.has(resource)) write(resource, node, 0);
      yield;
    }
    return new ResourceTable(this.rows, columns);
  }

  get approximateBytes(): number {
    return this.columns.size * (this.rows * 8 + 200);
  }
}

/** A mutable copy of a table: the amounts used on the nodes while pods are placed one after another. */
export class ResourceLedger implements NodeResources {
  private readonly columns = new Map<string, WritableColumn>();

  constructor(
    base: NodeResources,
    private readonly rows: number,
  ) {
    for (const resource of base.names) this.columns.set(resource, base.column(resource)!.copy());
  }

  get names(): readonly string[] {
    return [...this.columns.keys()];
  }

  get isSafe(): boolean {
    for (const { isSafe } of this.columns.values()) if (!isSafe) return false;
    return true;
  }

  /** Creates a column of zeros if there is none; later changes are made in the returned column. */
  column(resource: string): ResourceColumn {
    return this.own(resource);
  }

  at(resource: string, node: number): Int64 {
    return this.columns.get(resource)?.at(node) ?? 0;
  }

  add(resource: string, node: number, amount: Int64): void {
    const column = this.own(resource);
    column.set(node, addInt64(column.at(node), amount));
  }

  subtract(resource: string, node: number, amount: Int64): void {
    const column = this.own(resource);
    column.set(node, subInt64(column.at(node), amount));
  }

  private own(resource: string): WritableColumn {
    let column = this.columns.get(resource);
    if (column === undefined) {
      column = new Int64Column(new Float64Array(this.rows), new Map());
      this.columns.set(resource, column);
    }
    return column;
  }
}

const sameInt64 = (a: Int64, b: Int64): boolean => a === b || (typeof a !== typeof b && BigInt(a) === BigInt(b));

/** A value as an int64, as a `number` if that is exact; beyond 64 bits it overflows like Go's arithmetic. */
export function int64(value: Int64): Int64 {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const wrapped = BigInt.asIntN(64, BigInt(value));
  const number = Number(wrapped);
  return Number.isSafeInteger(number) ? number : wrapped;
}

/** The int64 sum, with overflow like Go's. */
export function addInt64(a: Int64, b: Int64): Int64 {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return int64(BigInt(a) + BigInt(b));
}

/** The int64 difference, with overflow like Go's. */
export function subInt64(a: Int64, b: Int64): Int64 {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return int64(BigInt(a) - BigInt(b));
}
