import { hash } from 'node:crypto';
import { PARAM_SELECTING_KINDS, ParamSelection } from '../core/admission/policies/param-selection.js';
import type { EncodedRow, ObjectRow } from '../core/cluster/object-row.js';
import { parseJson } from '../core/json/lossless-json.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';

const HASH_BYTES = 16;

/** The number of characters of data to remember until it is known whether it is needed; what comes after that is not stored. */
const MOST_REMEMBERED = 64 * 1024 * 1024;

/**
 * Decides of which ConfigMaps of a snapshot the data is stored: those that policies take as params, by the policies and bindings of the
 * snapshot and of the state that it is compared with. No other data reaches the database, not even for the time of a transaction.
 */
export class WithheldParams {
  private readonly selection = new ParamSelection();
  private readonly remembered = new Map<string, ObjectRow>();
  private length = 0;

  /** @param stored the policies and bindings that are stored already, as JSON */
  constructor(
    stored: readonly string[],
    private readonly mostRemembered = MOST_REMEMBERED,
  ) {
    for (const content of stored) this.note(content);
  }

  /** The row to store now. */
  pass(row: ObjectRow): ObjectRow;
  pass(row: ObjectRow | EncodedRow): ObjectRow | EncodedRow;
  pass(row: ObjectRow | EncodedRow): ObjectRow | EncodedRow {
    if (PARAM_SELECTING_KINDS.includes(row.kind)) this.note('utf8' in row ? decoded(row.utf8) : row.content);
    if ('utf8' in row || row.withheld === undefined) return row;
    const key = `${row.namespace}/${row.name}`;
    this.forget(key);
    const { withheld, ...withoutData } = row;
    if (this.isSelected(row)) return withData(row);
    if (this.length + withheld.length <= this.mostRemembered) {
      this.remembered.set(key, row);
      this.length += withheld.length;
    }
    return withoutData;
  }

  /** The rows that take the place of those that were stored without their data; after the last row. */
  rest(): readonly ObjectRow[] {
    const needed = [...this.remembered.values()].filter((row) => this.isSelected(row)).map(withData);
    this.remembered.clear();
    return needed;
  }

  private note(content: string): void {
    this.selection.add(parseJson(content) as unknown as KubernetesObject);
  }

  /** Of several rows with the same key, the last counts. */
  private forget(key: string): void {
    this.length -= this.remembered.get(key)?.withheld?.length ?? 0;
    this.remembered.delete(key);
  }

  private isSelected({ namespace, name, content }: ObjectRow): boolean {
    const { metadata } = parseJson(content) as unknown as KubernetesObject;
    return this.selection.selects({ namespace, name, labels: metadata.labels ?? {} });
  }
}

const decoded = (utf8: Uint8Array): string => Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength).toString();

function withData({ withheld, ...row }: ObjectRow): ObjectRow {
  const content = withheld ?? row.content;
  return { ...row, content, hash: hash('sha256', content, 'buffer').subarray(0, HASH_BYTES) };
}
