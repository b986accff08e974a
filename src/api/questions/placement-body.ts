import { quoted, stringifyJson } from '../../core/json/lossless-json.js';
import { knownJson, type Json } from '../../app/known-json.js';
import type { JsonParts } from '../../app/placements/json-parts.js';
import type { placementResponse } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';

/**
 * A placement as JSON, the same value as `stringifyJson` writes, its groups and nodes last. Those that are alike share their
 * reasons and lists of taints: each is one object in memory, and is written once.
 */
export const placementBody = (response: PlacementToWrite): Buffer => written(response).end();

/** The same with long lists of nodes that other answers have, too, as they are in memory. */
export const placementParts = (response: PlacementToWrite): JsonParts => written(response).parts();

function written({ items, groups, ...head }: PlacementToWrite): BodyWriter {
  const writer = new BodyWriter();
  writer.members(head);
  writer.text(',"groups":');
  writer.list(groups);
  writer.text(',"items":');
  writer.nodes(items);
  writer.text('}');
  return writer;
}

type Items = Response<typeof placementResponse>['items'];

/** Any of its other members may be missing. */
type PlacementToWrite = Pick<Response<typeof placementResponse>, 'items' | 'groups'>;

/** The JSON of nodes that differ only in their names and reasons, around these two. */
interface AlikeNodes {
  readonly first: Items[number];
  /** The names of its members. */
  readonly names: readonly string[];
  /** Undefined if a node has not first a name and then reasons: then it is written by itself. */
  readonly around: readonly [before: string, between: string, after: string] | undefined;
  /** What follows the name, by reasons. */
  readonly tails: Map<object | null, string>;
}

/** The members that are written for each node, in this order. */
const PARTED = ['node', 'reasons'] as const;

/** Of one answer; there are mostly fewer. Each node is compared with all of them at most. */
const MOST_ALIKE = 16;

/** Whether a node has the same members, in the same order, but for its name and reasons. Makes no objects: it is asked of each node. */
function isAlike({ first, names }: AlikeNodes, node: Items[number]): boolean {
  let index = 0;
  for (const name in node) {
    if (names[index++] !== name) return false;
    if (name === 'node' || name === 'reasons') continue;
    const member = node[name as keyof Items[number]];
    const ofFirst = first[name as keyof Items[number]];
    if (member !== ofFirst && !(isEmptyList(member) && isEmptyList(ofFirst))) return false;
  }
  return index === names.length;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A shorter part is copied, which takes no more memory than its place. */
const LONG_PART = 512;

interface Chunk {
  readonly json: Json;
  readonly bytes: number;
}

const isShared = (chunk: Chunk): chunk is Chunk & { readonly json: Buffer } =>
  typeof chunk.json !== 'string' && chunk.bytes >= LONG_PART;

/** @returns its bytes */
function copyChunk({ json, bytes }: Chunk, into: Buffer, at: number): number {
  if (typeof json !== 'string') json.copy(into, at);
  // Text of ASCII characters alone, which is as long in bytes, need not be encoded.
  else into.write(json, at, json.length === bytes ? 'latin1' : 'utf8');
  return bytes;
}

/** Writes objects member by member, whatever members they have. */
class BodyWriter {
  private readonly chunks: Chunk[] = [];
  private bytes = 0;
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

  /** What nodes have besides their names and reasons is written once for all that are alike. */
  nodes(nodes: Items): void {
    let last: AlikeNodes | undefined;
    const known: AlikeNodes[] = [];
    this.text('[');
    for (const [index, node] of nodes.entries()) {
      if (last === undefined || !isAlike(last, node)) {
        last = known.find((alike) => isAlike(alike, node));
        if (last === undefined) {
          last = this.around(node);
          if (known.length < MOST_ALIKE) known.push(last);
        }
      }
      const comma = index > 0 ? ',' : '';
      if (last.around === undefined) {
        this.text(comma);
        this.object(node);
        continue;
      }
      const [before, between, after] = last.around;
      let tail = last.tails.get(node.reasons);
      if (tail === undefined) {
        // In one piece, unlike text that is put together by `+`: it goes into the whole many times.
        tail = [between, this.member(node.reasons).toString(), after].join('');
        last.tails.set(node.reasons, tail);
      }
      this.text(`${comma}${before}${quoted(node.node)}${tail}`);
    }
    this.text(']');
  }

  end(): Buffer {
    this.flush();
    const body = Buffer.allocUnsafe(this.bytes);
    let at = 0;
    for (const chunk of this.chunks) at += copyChunk(chunk, body, at);
    return body;
  }

  parts(): JsonParts {
    this.flush();
    let bytes = 0;
    for (const chunk of this.chunks) if (!isShared(chunk)) bytes += chunk.bytes;
    // Not of the pool, of which it would keep more in memory than itself.
    const own = Buffer.allocUnsafeSlow(bytes);
    const shared: Buffer[] = [];
    const at: number[] = [];
    let end = 0;
    for (const chunk of this.chunks) {
      if (isShared(chunk)) {
        shared.push(chunk.json);
        at.push(end);
      } else end += copyChunk(chunk, own, end);
    }
    return { own, shared, at };
  }

  /** An object without its closing bracket. */
  members(object: object): void {
    let separator = '{';
    for (const name of Object.keys(object)) {
      const value = (object as Readonly<Record<string, unknown>>)[name];
      if (value === undefined) continue;
      this.text(separator);
      this.text(this.label(name));
      this.json(this.member(value));
      separator = ',';
    }
    if (separator === '{') this.text('{');
  }

  private object(object: object): void {
    this.members(object);
    this.text('}');
  }

  private around(first: Items[number]): AlikeNodes {
    const names = Object.keys(first);
    const parts: string[] = [];
    let texts = ['{'];
    let separator = '';
    for (const name of names) {
      const value = first[name as keyof Items[number]];
      if (value === undefined) continue;
      texts.push(separator, this.label(name));
      separator = ',';
      if (name === PARTED[parts.length]) {
        parts.push(texts.join(''));
        texts = [];
      } else texts.push(this.member(value).toString());
    }
    const [before, between] = parts;
    return {
      first,
      names,
      around: before === undefined || between === undefined ? undefined : [before, between, `${texts.join('')}}`],
      tails: new Map<object | null, string>(),
    };
  }

  /** The name of a member; there are few, in many objects. */
  private label(name: string): string {
    let label = this.labels.get(name);
    if (label === undefined) this.labels.set(name, (label = `${quoted(name)}:`));
    return label;
  }

  private member(value: unknown): Json {
    if (typeof value === 'string') return quoted(value);
    if (!Array.isArray(value)) return stringifyJson(value);
    return knownJson(value) ?? this.written(value, (list) => this.items(list));
  }

  private json(json: Json): void {
    if (typeof json === 'string') {
      this.text(json);
      return;
    }
    this.flush();
    this.chunk(json, json.length);
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
    this.chunk(this.pending, Buffer.byteLength(this.pending));
    this.pending = '';
  }

  private chunk(json: Json, bytes: number): void {
    this.chunks.push({ json, bytes });
    this.bytes += bytes;
  }
}
