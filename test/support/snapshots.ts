import { createHash } from 'node:crypto';
import type { ObjectRow, SnapshotRow } from '../../src/core/cluster/object-row.js';
import type { ObjectReader } from '../../src/storage/object-reader.js';
import type { SnapshotScope } from '../../src/storage/revision.js';
import type { SnapshotToCommit } from '../../src/storage/snapshot-writer.js';

/** An object on its way into storage; `key` is `Kind/name` or `Kind/namespace/name`, `content` any text that distinguishes versions. */
export function objectRow(key: string, content = 'one', resourceVersion: string | null = null): ObjectRow {
  const [kind, ...rest] = key.split('/') as [string, ...string[]];
  const name = rest.pop()!;
  const namespace = rest[0] ?? '';
  const json = JSON.stringify({ kind, metadata: { name, namespace }, content });
  const hash = createHash('sha256').update(json).digest().subarray(0, 16);
  return { kind, namespace, name, uid: `uid-of-${name}`, resourceVersion, hash, content: json };
}

/** Objects as `{ 'Pod/default/web': 'content' }`. */
export type Objects = Readonly<Record<string, string>>;

export function rowsOf(objects: Objects): ObjectRow[] {
  return Object.entries(objects).map(([key, content]) => objectRow(key, content));
}

/** Yields rows in one batch. */
export async function* inOneBatch<Row extends SnapshotRow>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  await Promise.resolve();
  yield rows;
}

interface SnapshotOptions extends Partial<Omit<SnapshotToCommit, 'rows' | 'describe'>> {
  readonly rows?: SnapshotToCommit['rows'];
  readonly scope?: SnapshotScope;
}

/** A snapshot of these objects, complete for all namespaces and, unless `scope` says otherwise, Node and Pod. */
export function snapshotOf(objects: Objects, options: SnapshotOptions = {}): SnapshotToCommit {
  const { scope = { kinds: ['Node', 'Pod'], namespaces: null }, ...rest } = options;
  return {
    cluster: { name: 'test', create: true },
    capturedAt: null,
    receivedAt: new Date('2026-06-01T00:00:00Z'),
    backfill: false,
    source: null,
    author: null,
    rows: inOneBatch(rowsOf(objects)),
    describe: () => ({ scope, stats: {}, findings: [], kubernetesVersion: 'v1.36.2' }),
    ...rest,
  };
}

/** Every object of a revision, in the form that `snapshotOf` takes. */
export async function objectsAt(reader: ObjectReader, clusterId: number, revision: number): Promise<Objects> {
  const objects: Record<string, string> = {};
  for await (const batch of reader.stream(clusterId, revision)) {
    for (const { kind, namespace, name, content } of batch) {
      const key = namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
      if (Object.hasOwn(objects, key)) throw new Error(`${key} occurs twice in revision ${revision}`);
      objects[key] = (JSON.parse(content) as { content: string }).content;
    }
  }
  return objects;
}
