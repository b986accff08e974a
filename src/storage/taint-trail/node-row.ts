import { hash } from 'node:crypto';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { HASH_BYTES } from '../state-hashes.js';

/** A node as it is stored: see `ObjectRow`. */
export interface NodeRow {
  readonly name: string;
  readonly uid: string | null;
  readonly hash: Buffer;
  readonly content: string;
}

export function nodeRow(node: Node): NodeRow {
  const content = stringifyJson(node, { sortKeys: true });
  return {
    name: node.metadata.name,
    uid: node.metadata.uid ?? null,
    hash: hash('sha256', content, 'buffer').subarray(0, HASH_BYTES),
    content,
  };
}

/** Stored content was decoded and pruned on its way in. */
export const nodeOf = (content: string): Node => parseJson(content) as unknown as Node;

/** Rows as columns in step, for SQL's `unnest` of (name, uid, hash, content). */
export function nodeColumns(rows: readonly NodeRow[]): [string[], (string | null)[], Buffer[], string[]] {
  return [
    rows.map(({ name }) => name),
    rows.map(({ uid }) => uid),
    rows.map(({ hash }) => hash),
    rows.map(({ content }) => content),
  ];
}
