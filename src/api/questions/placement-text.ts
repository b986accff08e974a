import { quoted, stringifyJson } from '../../core/json/lossless-json.js';
import { namesText } from '../../app/placements/node-names.js';
import type { placementResponse } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';

/**
 * Serializes a placement as JSON, with its groups and nodes last and otherwise like `stringifyJson`. Equal groups and
 * nodes share their lists of reasons and taints: each is one object in memory and is serialized once.
 */
export function placementText({ nodes, groups, ...head }: Response<typeof placementResponse>): string {
  const writer = new ListWriter();
  return `${stringifyJson(head).slice(0, -1)},"groups":${writer.list(groups)},"nodes":${writer.list(nodes)}}`;
}

/** Serializes objects member by member; lists that are the same object in memory are serialized once. */
class ListWriter {
  private readonly texts = new Map<object, string>();

  list(objects: readonly object[]): string {
    let text = '';
    for (const one of objects) text += `${text === '' ? '' : ','}${this.object(one)}`;
    return `[${text}]`;
  }

  private object(object: object): string {
    let text = '';
    for (const [name, value] of Object.entries(object as Readonly<Record<string, unknown>>)) {
      if (value !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${this.member(value)}`;
    }
    return `{${text}}`;
  }

  private member(value: unknown): string {
    if (typeof value === 'string') return quoted(value);
    if (!Array.isArray(value)) return stringifyJson(value);
    let text = this.texts.get(value);
    if (text === undefined) this.texts.set(value, (text = namesText(value) ?? stringifyJson(value)));
    return text;
  }
}
