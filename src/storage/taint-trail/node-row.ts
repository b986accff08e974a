import { hash } from 'node:crypto';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { versionText } from '../../core/kubernetes/version-text.js';
import { HASH_BYTES } from '../state-hashes.js';

/** A stored node: see `ObjectRow`. */
export interface NodeRow {
  readonly name: string;
  readonly uid: string | null;
  readonly hash: Buffer;
  readonly content: string;
}

/** The versions of nodes that were asked for or stored: a preview, the change after it and the next one name them again. */
const versions = new WeakMap<Node, string>();

/** @param node must not be modified any more */
export function nodeRow(node: Node): NodeRow {
  const content = stringifyJson(node, { sortKeys: true });
  const own = hash('sha256', versionText('Node', content), 'buffer').subarray(0, HASH_BYTES);
  versions.set(node, own.toString('hex'));
  return { name: node.metadata.name, uid: node.metadata.uid ?? null, hash: own, content };
}

/** Version of the content of a node, for `If-Match`: 32 hexadecimal digits. @param node must not be modified any more */
export const nodeVersion = (node: Node): string => versions.get(node) ?? nodeRow(node).hash.toString('hex');

/** Parses stored content, which was decoded and pruned before it was stored. */
export const nodeOf = (content: string): Node => parseJson(content) as unknown as Node;

/** Rows as parallel columns, for SQL's `unnest` of (name, uid, hash, content). */
export function nodeColumns(rows: readonly NodeRow[]): [string[], (string | null)[], Buffer[], string[]] {
  return [
    rows.map(({ name }) => name),
    rows.map(({ uid }) => uid),
    rows.map(({ hash }) => hash),
    rows.map(({ content }) => content),
  ];
}
