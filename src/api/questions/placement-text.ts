import { quoted, stringifyJson } from '../../core/json/lossless-json.js';
import type { nodePlacement, placementResponse } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';

/**
 * A placement as JSON, the same value as `stringifyJson` writes, its nodes last. Nodes that are alike share their lists of
 * reasons and taints: each is one object in memory, and is written once.
 */
export function placementText({ nodes, ...head }: Response<typeof placementResponse>): string {
  const writer = new NodeWriter();
  let text = '';
  for (const node of nodes) text += `${text === '' ? '' : ','}${writer.node(node)}`;
  return `${stringifyJson(head).slice(0, -1)},"nodes":[${text}]}`;
}

/** Writes nodes member by member, whatever members they have; lists that are the same object are written once. */
class NodeWriter {
  private readonly texts = new Map<object, string>();

  node(node: Response<typeof nodePlacement>): string {
    let text = '';
    for (const [name, value] of Object.entries<unknown>(node)) {
      if (value !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${this.member(value)}`;
    }
    return `{${text}}`;
  }

  private member(value: unknown): string {
    if (typeof value === 'string') return quoted(value);
    if (!Array.isArray(value)) return stringifyJson(value);
    let text = this.texts.get(value);
    if (text === undefined) this.texts.set(value, (text = stringifyJson(value)));
    return text;
  }
}
