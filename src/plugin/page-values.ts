import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/json-value.js';
import { JsonSyntaxError, parseJson } from '../core/json/lossless-json.js';
import { textOf } from '../ingest/text-of.js';
import type { PageReader } from '../kube-api/cluster-lists.js';
import { BadAnswer } from '../kube-api/reflector/json-scan.js';
import { type ListEnvelope, ListReader } from '../kube-api/reflector/list-reader.js';

/** In bytes. Values take several times as much memory as their text. */
const MOST_AT_ONCE = 16 * 1024 * 1024;

/**
 * The items of a page as values. A page is parsed at once when it is complete, which is much faster than to look for its items first; one that is longer
 * than `atOnce` is parsed item by item.
 */
export class PageValues implements PageReader<JsonObject> {
  private held: Buffer[] = [];
  private length = 0;
  private reader: ListReader | undefined;

  constructor(private readonly atOnce = MOST_AT_ONCE) {}

  /** As of a `ListReader`. */
  get next(): string | undefined {
    return this.reader?.next;
  }

  /** The items that end in this chunk. @throws {BadAnswer} */
  *push(chunk: Buffer): Generator<JsonObject> {
    let bytes = chunk;
    if (this.reader === undefined) {
      this.held.push(chunk);
      this.length += chunk.length;
      if (this.length <= this.atOnce) return;
      this.reader = new ListReader();
      bytes = Buffer.concat(this.held);
      this.held = [];
    }
    for (const item of this.reader.push(bytes)) yield parsedObject(item) as JsonObject;
  }

  /** @returns the rest of the items, too @throws {BadAnswer} if the list is cut or is none */
  end(): ListEnvelope & { readonly items: readonly JsonObject[] } {
    if (this.reader !== undefined) return { ...this.reader.end(), items: [] };
    const list = parsedObject(Buffer.concat(this.held));
    const { apiVersion, kind, metadata, items = null } = isJsonObject(list) ? list : {};
    const elements = items === null ? [] : items;
    if (typeof kind !== 'string' || typeof apiVersion !== 'string') throw new BadAnswer('the answer is no list');
    if (!Array.isArray(elements) || !elements.every((one): one is JsonObject => isJsonObject(one))) {
      throw new BadAnswer('the items of a list are not objects');
    }
    const { resourceVersion, continue: next } = isJsonObject(metadata) ? metadata : {};
    return {
      apiVersion,
      kind,
      resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
      next: typeof next === 'string' && next !== '' ? next : undefined,
      items: elements,
    };
  }
}

/** API servers limit the depth of what they store. @throws {BadAnswer} */
export function parsedObject(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(textOf(bytes), { isTrusted: true });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new BadAnswer(`the answer is not JSON, or is cut: ${error.reason}`);
  }
}
