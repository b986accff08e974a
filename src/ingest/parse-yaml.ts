import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/json-value.js';
import { quoteGo } from '../core/kubernetes/go-text.js';
import type { RepeatedKey } from '../core/kubernetes/manifests/manifest-document.js';
import { IngestError, type IngestErrorPlace } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';
import { keyText, resolvePlainScalar, UnrepresentableScalar } from './yaml-scalar.js';

export interface ParseYamlOptions {
  readonly limits: Pick<IngestLimits, 'maxDepth' | 'maxAliasedNodes'>;
  /** The place in the stream where the text begins. */
  readonly place: IngestErrorPlace;
  /** How to handle duplicate keys: use the last one, as kubectl does, or reject the text. */
  readonly duplicateKeys: 'last' | 'reject';
  /** Filled by the reader. */
  readonly notes?: YamlNotes;
}

/** What the reader notes of a text besides its values. */
export interface YamlNotes {
  /** Duplicate keys, in the order in which they are found. A key that overrides one of a merge key is a duplicate, too. */
  readonly repeatedKeys: RepeatedKey[];
  /** Lines of the stream: of the document's content, and of the elements of lists named `items`. */
  firstLine?: number | undefined;
  readonly lines: Map<JsonObject, number>;
}

/** The number of characters that count as one node. */
const CHARACTERS_OF_A_NODE = 64;

const TAG = 'tag:yaml.org,2002:';

/**
 * Parses one YAML document as kubectl does (sigs.k8s.io/yaml v1.6.0): scalars by `resolvePlainScalar`, merge keys, the
 * last of duplicate keys, times as strings. 64-bit integers are exact. Empty text is null.
 *
 * @throws IngestError `malformed-yaml` with line and column of the stream, `too-deep`, `too-many-aliases`
 */
export function parseYaml(text: string, options: ParseYamlOptions): JsonValue {
  const reader = new YamlReader(options);
  return reader.read(text);
}

/** A node with an anchor, its value, its number of nodes, and the duplicate keys in it. */
interface Anchor {
  readonly node: Node;
  readonly value: JsonValue;
  readonly nodes: number;
  readonly repeatedKeys: readonly RepeatedKey[];
}

class YamlReader {
  private readonly lines = new LineCounter();
  /** The value of each anchor so far, and its number of nodes. */
  private readonly anchors = new Map<string, Anchor>();
  private nodes = 0;
  private aliasedNodes = 0;

  constructor(private readonly options: ParseYamlOptions) {}

  read(text: string): JsonValue {
    this.refuseDeepText(text);
    let documents: readonly Document.Parsed[];
    try {
      const parsed = parseAllDocuments(text, {
        schema: 'failsafe',
        version: '1.1',
        keepSourceTokens: false,
        lineCounter: this.lines,
        prettyErrors: false,
        logLevel: 'silent',
        strict: false,
        stringKeys: false,
        uniqueKeys: false,
      });
      documents = 'empty' in parsed ? [] : parsed;
    } catch (error) {
      if (error instanceof RangeError) throw this.tooDeep();
      throw error;
    }
    const [problem] = documents.flatMap(({ errors }) => errors);
    // The parser reports an exhausted stack with this code.
    if (problem?.code === 'RESOURCE_EXHAUSTION') throw this.error('too-deep', this.depthRule(), problem.pos[0]);
    if (problem !== undefined) {
      // Not only where the stack is small enough to be exhausted.
      if (documents.some(({ contents }) => isDeeper(contents, this.options.limits.maxDepth))) throw this.tooDeep();
      throw this.malformed(problem.message, problem.pos[0]);
    }
    // Ignore separators and comments around the one document.
    const [document, second] = documents.filter(({ contents }) => !isNothing(contents));
    if (second !== undefined) throw this.malformed('a second document begins', second.range[0]);
    if (document === undefined) return null;
    const { notes } = this.options;
    if (notes !== undefined) notes.firstLine = this.lineOf(document.contents);
    return this.value(document.contents, 0);
  }

  private value(node: Node | null, depth: number): JsonValue {
    if (node === null) return null;
    if (depth > this.options.limits.maxDepth) throw this.tooDeep(node);
    if (isAlias(node)) return this.aliased(node.source, node);
    const before = this.nodes++;
    const repeatedBefore = this.options.notes?.repeatedKeys.length ?? 0;
    let value: JsonValue;
    if (isMap(node)) value = this.map(node, depth);
    else if (isSeq(node)) value = node.items.map((item) => this.value(item as Node | null, depth + 1));
    else if (isScalar(node)) {
      value = this.scalar(node);
      // A long text costs later readers as much as many nodes.
      if (typeof value === 'string') this.nodes += Math.floor(value.length / CHARACTERS_OF_A_NODE);
    } else throw this.malformed('a node of an unknown kind', undefined);
    if (node.anchor !== undefined) {
      const repeatedKeys = this.options.notes?.repeatedKeys.slice(repeatedBefore) ?? [];
      this.anchors.set(node.anchor, { node, value, nodes: this.nodes - before, repeatedKeys });
    }
    return value;
  }

  /**
   * Resolves an alias. It counts as many nodes as its anchor: the value is shared, but later readers walk it each time.
   * An anchor is known only after its node has ended, so that no value can contain itself.
   */
  private aliased(name: string, node: Node): JsonValue {
    const target = this.anchors.get(name);
    if (target === undefined) {
      throw this.malformed(`alias ${JSON.stringify(name)} has no anchor before it in the same object`, node.range?.[0]);
    }
    this.nodes += target.nodes;
    this.aliasedNodes += target.nodes;
    if (this.aliasedNodes > this.options.limits.maxAliasedNodes) {
      throw this.error(
        'too-many-aliases',
        `aliases expand to more than ${this.options.limits.maxAliasedNodes} nodes`,
        node.range?.[0],
      );
    }
    // The decoder of Kubernetes reads an alias anew, and reports what it finds each time.
    this.options.notes?.repeatedKeys.push(...target.repeatedKeys);
    return target.value;
  }

  private map(map: YAMLMap, depth: number): JsonObject {
    const object: JsonObject = {};
    const { notes } = this.options;
    const seen = notes && new Set<string>();
    for (const pair of map.items) {
      const key = pair.key as Node | null;
      const value = pair.value as Node | null;
      if (isMergeKey(key)) {
        this.merge(object, this.value(value, depth + 1), key);
        if (seen !== undefined) this.noteMerged(value, seen);
        continue;
      }
      const text = this.key(key);
      if (this.options.duplicateKeys === 'reject' && Object.hasOwn(object, text)) {
        throw this.malformed(`key ${JSON.stringify(text)} is duplicated`, key?.range?.[0]);
      }
      const inner = this.value(value, depth + 1);
      if (seen !== undefined) this.noteKey(key, value, seen);
      if (notes !== undefined && text === 'items' && isSeq(value) && Array.isArray(inner)) {
        for (const [index, item] of inner.entries()) {
          if (isJsonObject(item)) notes.lines.set(item, this.lineOf(value.items[index] as Node | null) ?? 0);
        }
      }
      put(object, text, inner);
    }
    return object;
  }

  private key(key: Node | null): string {
    const text = keyText(this.keyValue(key));
    if (text === undefined) throw this.malformed('a key that is not a string, number or boolean', key?.range?.[0]);
    return text;
  }

  private keyValue(key: Node | null): null | boolean | number | bigint | string {
    const value = this.value(key, this.options.limits.maxDepth);
    return typeof value === 'object' ? null : value;
  }

  private noteKey(key: Node | null, value: Node | null, seen: Set<string>): void {
    this.noteShown(this.shownKey(key), this.lineOf(value) ?? this.lineOf(key) ?? 0, seen);
  }

  /** Notes the keys of merged maps like those of the map itself: the decoder of Kubernetes does not tell them apart. */
  private noteMerged(merged: Node | null, seen: Set<string>): void {
    const node = isAlias(merged) ? this.anchors.get(merged.source)?.node : merged;
    if (isSeq(node)) for (const item of node.items.toReversed()) this.noteMerged(item as Node | null, seen);
    else for (const [shown, line] of this.mergedKeys(node ?? null, new Map())) this.noteShown(shown, line, seen);
  }

  /** The keys of a map with those that it merges, and the line of the first value of each. */
  private mergedKeys(merged: Node | null, keys: Map<string, number>): ReadonlyMap<string, number> {
    const node = isAlias(merged) ? this.anchors.get(merged.source)?.node : merged;
    if (isSeq(node)) for (const item of node.items.toReversed()) this.mergedKeys(item as Node | null, keys);
    else if (isMap(node)) {
      for (const pair of node.items) {
        const key = pair.key as Node | null;
        const value = pair.value as Node | null;
        if (isMergeKey(key)) this.mergedKeys(value, keys);
        else {
          const shown = this.shownKey(key);
          if (!keys.has(shown)) keys.set(shown, this.lineOf(value) ?? this.lineOf(key) ?? 0);
        }
      }
    }
    return keys;
  }

  /**
   * Notes a key of a map that has it already, with the line of its value (`setMapIndex` of go.yaml.in/yaml/v2 v2.4.3).
   *
   * @param shown the key in Go's notation, which tells types apart
   * @param seen the keys of the map so far
   */
  private noteShown(shown: string, line: number, seen: Set<string>): void {
    if (!seen.has(shown)) seen.add(shown);
    else this.options.notes?.repeatedKeys.push({ line, message: `line ${line}: key ${shown} already set in map` });
  }

  private shownKey(key: Node | null): string {
    const given = this.keyValue(key);
    return typeof given === 'string' ? quoteGo(given) : String(given);
  }

  /** The line of the stream in which a node begins, from 1. */
  private lineOf(node: Node | null): number | undefined {
    const offset = node?.range?.[0];
    return offset === undefined ? undefined : (this.options.place.line ?? 1) + this.lines.linePos(offset).line - 1;
  }

  /**
   * Merges members at the position of the merge key and overwrites earlier ones; in a list, the first map takes
   * precedence.
   */
  private merge(object: JsonObject, merged: JsonValue, key: Scalar): void {
    const sources = Array.isArray(merged) ? merged.toReversed() : [merged];
    for (const source of sources) {
      if (!isJsonObject(source)) {
        throw this.malformed('a merge key requires a mapping, or a list of mappings', key.range?.[0]);
      }
      for (const [name, value] of Object.entries(source)) put(object, name, value);
    }
  }

  private scalar(node: Scalar): JsonValue {
    const text = String(node.value);
    const plain = node.type === 'PLAIN' || node.type === undefined;
    switch (node.tag) {
      case undefined:
      case `${TAG}str`:
        // The failsafe schema returns an untagged plain scalar as a string.
        return plain && node.tag === undefined ? this.plain(node, node.source ?? text) : text;
      case `${TAG}int`:
      case `${TAG}float`:
      case `${TAG}bool`:
      case `${TAG}null`:
        return this.plain(node, text);
      case `${TAG}timestamp`:
        return text;
      case `${TAG}binary`:
        return Buffer.from(text, 'base64').toString('utf8');
      default:
        return text;
    }
  }

  private plain(node: Scalar, source: string): JsonValue {
    try {
      return resolvePlainScalar(source);
    } catch (error) {
      if (error instanceof UnrepresentableScalar) throw this.malformed(error.message, node.range?.[0]);
      throw error;
    }
  }

  /** Rejects text with too many opening brackets or dashes before the recursive parser sees it. */
  private refuseDeepText(text: string): void {
    const { maxDepth } = this.options.limits;
    let brackets = 0;
    // Brackets in strings and comments count too, so the limit is a hundred times maxDepth.
    const most = maxDepth * 100;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0x5b || code === 0x7b) {
        if (++brackets > most) throw this.tooDeep();
      } else if ((code === 0x5d || code === 0x7d) && brackets > 0) brackets--;
    }
    const indicators = new RegExp(`^ *(?:[-?:] +){${maxDepth},}`, 'm');
    if (indicators.test(text)) throw this.tooDeep();
  }

  private tooDeep(node?: Node): IngestError {
    return this.error('too-deep', this.depthRule(), node?.range?.[0]);
  }

  private depthRule(): string {
    return `nested deeper than ${this.options.limits.maxDepth} levels`;
  }

  private malformed(message: string, offset: number | undefined): IngestError {
    return this.error('malformed-yaml', message, offset);
  }

  private error(
    code: 'malformed-yaml' | 'too-deep' | 'too-many-aliases',
    message: string,
    offset: number | undefined,
  ): IngestError {
    const { place } = this.options;
    if (offset === undefined) return new IngestError(code, message, place);
    const { line, col } = this.lines.linePos(offset);
    return new IngestError(code, message, {
      ...place,
      offset: undefined,
      line: (place.line ?? 1) + line - 1,
      column: col,
    });
  }
}

const isMergeKey = (key: Node | null): key is Scalar =>
  isScalar(key) && key.type === 'PLAIN' && key.source === '<<' && key.tag === undefined;

/** Whether this is the parser's result for an empty document. */
function isNothing(contents: Node | null): boolean {
  return contents === null || (isScalar(contents) && contents.source === '' && contents.anchor === undefined);
}

/** Whether nodes are nested deeper than this number of levels. */
function isDeeper(node: unknown, levels: number): boolean {
  if (levels < 0) return true;
  if (isMap(node)) return node.items.some(({ key, value }) => isDeeper(key, levels - 1) || isDeeper(value, levels - 1));
  return isSeq(node) && node.items.some((item) => isDeeper(item, levels - 1));
}

/** Sets a member. Keys such as `__proto__` are treated like any other. */
function put(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
