import { quoted, stringifyJson } from '../../core/json/lossless-json.js';
import { knownJson } from '../../app/known-json.js';
import type { placementResponse } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';

/**
 * A placement as JSON, the same value as `stringifyJson` writes, its groups and nodes last. Those that are alike share their
 * reasons and lists of taints: each is one object in memory, and is written once.
 */
export function placementBody({ items, groups, ...head }: Response<typeof placementResponse>): Buffer {
  const writer = new BodyWriter();
  writer.text(`${stringifyJson(head).slice(0, -1)},"groups":`);
  writer.list(groups);
  writer.text(',"items":');
  writer.list(items);
  writer.text('}');
  return writer.end();
}

/** Writes objects member by member, whatever members they have. */
class BodyWriter {
  private readonly chunks: Buffer[] = [];
  /** What follows the chunks. */
  private pending = '';
  private readonly texts = new Map<object, string>();
  private readonly labels = new Map<string, string>();

  text(text: string): void {
    this.pending += text;
  }

  list(objects: readonly object[]): void {
    this.text('[');
    for (const [index, one] of objects.entries()) {
      if (index > 0) this.text(',');
      this.object(one);
    }
    this.text(']');
  }

  end(): Buffer {
    this.flush();
    return Buffer.concat(this.chunks);
  }

  private object(object: object): void {
    let separator = '{';
    for (const name of Object.keys(object)) {
      const value = (object as Readonly<Record<string, unknown>>)[name];
      if (value === undefined) continue;
      this.text(separator);
      this.text(this.label(name));
      this.member(value);
      separator = ',';
    }
    this.text(separator === '{' ? '{}' : '}');
  }

  /** The name of a member; there are few, in many objects. */
  private label(name: string): string {
    let label = this.labels.get(name);
    if (label === undefined) this.labels.set(name, (label = `${quoted(name)}:`));
    return label;
  }

  private member(value: unknown): void {
    if (typeof value === 'string') this.text(quoted(value));
    else if (!Array.isArray(value)) this.text(stringifyJson(value));
    else {
      const json = knownJson(value);
      if (typeof json === 'object') {
        this.flush();
        this.chunks.push(json);
      } else this.text(json ?? this.written(value, (list) => this.items(list)));
    }
  }

  private items(list: readonly unknown[]): string {
    let text = '';
    for (const item of list) {
      if (text !== '') text += ',';
      if (typeof item !== 'object' || item === null) text += stringifyJson(item);
      else text += knownJson(item)?.toString() ?? this.written(item, stringifyJson);
    }
    return `[${text}]`;
  }

  /** Writes a value that may come again. */
  private written<Value extends object>(value: Value, write: (value: Value) => string): string {
    let text = this.texts.get(value);
    if (text === undefined) this.texts.set(value, (text = write(value)));
    return text;
  }

  private flush(): void {
    if (this.pending === '') return;
    this.chunks.push(Buffer.from(this.pending));
    this.pending = '';
  }
}
