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
import type { JsonObject, JsonValue } from '../core/json/json-value.js';
import { IngestError, type IngestErrorPlace } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';
import { keyText, resolvePlainScalar, UnrepresentableScalar } from './yaml-scalar.js';

export interface ParseYamlOptions {
  readonly limits: Pick<IngestLimits, 'maxDepth' | 'maxAliasedNodes'>;
  /** The place in the stream where the text begins. */
  readonly place: IngestErrorPlace;
  /** How to handle duplicate keys: use the last one, as kubectl does, or reject the text. */
  readonly duplicateKeys: 'last' | 'reject';
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

class YamlReader {
  private readonly lines = new LineCounter();
  /** The value of each anchor so far, and its number of nodes. */
  private readonly anchors = new Map<string, { value: JsonValue; nodes: number }>();
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
    if (problem !== undefined) throw this.malformed(problem.message, problem.pos[0]);
    // Ignore separators and comments around the one document.
    const [document, second] = documents.filter(({ contents }) => !isNothing(contents));
    if (second !== undefined) throw this.malformed('a second document begins', second.range[0]);
    return document === undefined ? null : this.value(document.contents, 0);
  }

  private value(node: Node | null, depth: number): JsonValue {
    if (node === null) return null;
    if (depth > this.options.limits.maxDepth) throw this.tooDeep(node);
    if (isAlias(node)) return this.aliased(node.source, node);
    const before = this.nodes++;
    let value: JsonValue;
    if (isMap(node)) value = this.map(node, depth);
    else if (isSeq(node)) value = node.items.map((item) => this.value(item as Node | null, depth + 1));
    else if (isScalar(node)) {
      value = this.scalar(node);
      // A long text costs later readers as much as many nodes.
      if (typeof value === 'string') this.nodes += Math.floor(value.length / CHARACTERS_OF_A_NODE);
    } else throw this.malformed('a node of an unknown kind', undefined);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, { value, nodes: this.nodes - before });
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
    return target.value;
  }

  private map(map: YAMLMap, depth: number): JsonObject {
    const object: JsonObject = {};
    for (const pair of map.items) {
      const key = pair.key as Node | null;
      const value = pair.value as Node | null;
      if (isScalar(key) && key.type === 'PLAIN' && key.source === '<<' && key.tag === undefined) {
        this.merge(object, this.value(value, depth + 1), key);
        continue;
      }
      const text = this.key(key);
      if (this.options.duplicateKeys === 'reject' && Object.hasOwn(object, text)) {
        throw this.malformed(`key ${JSON.stringify(text)} is duplicated`, key?.range?.[0]);
      }
      put(object, text, this.value(value, depth + 1));
    }
    return object;
  }

  private key(key: Node | null): string {
    const value = this.value(key, this.options.limits.maxDepth);
    const text = typeof value === 'object' ? undefined : keyText(value);
    if (text === undefined) throw this.malformed('a key that is not a string, number or boolean', key?.range?.[0]);
    return text;
  }

  /**
   * Merges members at the position of the merge key and overwrites earlier ones; in a list, the first map takes
   * precedence.
   */
  private merge(object: JsonObject, merged: JsonValue, key: Scalar): void {
    const sources = Array.isArray(merged) ? merged.toReversed() : [merged];
    for (const source of sources) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
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

/** Whether this is the parser's result for an empty document. */
function isNothing(contents: Node | null): boolean {
  return contents === null || (isScalar(contents) && contents.source === '' && contents.anchor === undefined);
}

/** Sets a member. Keys such as `__proto__` are treated like any other. */
function put(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
