import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { inChunks, read } from '../../../test/support/snapshot-reading.js';
import { secretPod } from '../../../test/support/dumps.js';
import { ingestStream } from '../../ingest/ingest-stream.js';
import type { ObjectRow } from '../../core/cluster/object-row.js';
import { prunedObject } from './pruned-object.js';

const DEMO = new URL('../../../demo/clusters/', import.meta.url);

/** The rows of a text, also of objects that the API server would refuse. */
async function rowsOf(text: string): Promise<readonly ObjectRow[]> {
  const rows: ObjectRow[] = [];
  const reading = ingestStream(inChunks(text, 1 << 16), { invalid: 'keep' }, 1);
  for await (const batch of reading) rows.push(...batch);
  return rows;
}

const comparable = (rows: readonly ObjectRow[]): readonly object[] =>
  rows.map(({ hash, ...row }) => ({ ...row, hash: Buffer.from(hash).toString('hex') }));

describe('a pruned object', () => {
  it.each(readdirSync(DEMO).filter((name) => /\.(json|yaml)$/.test(name)))(
    'of %s is read as the same row again',
    async (name) => {
      const rows = await rowsOf(readFileSync(new URL(name, DEMO), 'utf8'));
      const again = await rowsOf(rows.map((row) => `${prunedObject(row)}\n`).join(''));
      expect(comparable(again)).toEqual(
        comparable(rows.map(({ withheld, ...row }) => (withheld === undefined ? row : { ...row, withheld }))),
      );
    },
  );

  it('has its resourceVersion, and the owners of the taints of a node', async () => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: 'a',
        resourceVersion: '7',
        managedFields: [
          { manager: 'kubelet', operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': {} } },
          {
            manager: 'kubectl',
            operation: 'Update',
            time: '2026-06-01T00:00:00Z',
            fieldsV1: { 'f:metadata': { 'f:labels': { 'f:secret': {} } }, 'f:spec': { 'f:taints': {} } },
          },
        ],
      },
    };
    const [row] = (await read(JSON.stringify(node))).rows;
    const text = prunedObject(row!);
    expect(JSON.parse(text)).toMatchObject({
      metadata: {
        resourceVersion: '7',
        managedFields: [
          { manager: 'kubectl', fieldsV1: { 'f:metadata': { 'f:labels': {} }, 'f:spec': { 'f:taints': {} } } },
        ],
      },
    });
    expect(text).not.toContain('kubelet');
    expect(text).not.toContain('f:secret');
    expect(comparable((await read(text)).rows)).toEqual(comparable([row!]));
  });

  it('has none of what is not kept', async () => {
    const [row] = (await read(JSON.stringify(secretPod('hunter2')))).rows;
    expect(prunedObject(row!)).not.toContain('hunter2');
  });
});
