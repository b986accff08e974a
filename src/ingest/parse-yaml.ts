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
  /** Where the text begins in the stream. */
  readonly place: IngestErrorPlace;
  /** What a key given twice does: the last one wins, as for kubectl, or the text is refused. */
  readonly duplicateKeys: 'last' | 'reject';
}

/** So many characters of a text weigh as much as one more node. */
const CHARACTERS_OF_A_NODE = 64;

const TAG = 'tag:yaml.org,2002:';

/**
 * Reads one YAML document as kubectl does (sigs.k8s.io/yaml v1.6.0): scalars by `resolvePlainScalar`, merge keys, the
 * last of duplicate keys, times as strings. Integers of 64 bits are exact. Empty text is null.
 *
 * @throws IngestError `malformed-yaml` with line and column of the stream, `too-deep`, `too-many-aliases`
 */
export function parseYaml(text: string, options: ParseYamlOptions): JsonValue {
  const reader = new YamlReader(options);
  return reader.read(text);
}

class YamlReader {
  private readonly lines = new LineCounter();
  /** What each anchor seen so far stands for, and how many nodes that is. */
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
    // What the parser makes of a stack that is used up.
    if (problem?.code === 'RESOURCE_EXHAUSTION') throw this.error('too-deep', this.depthRule(), problem.pos[0]);
    if (problem !== undefined) throw this.malformed(problem.message, problem.pos[0]);
    // Separators and comments around the one document are none.
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
      // A long text costs whoever reads it later as much as many nodes.
      if (typeof value === 'string') this.nodes += Math.floor(value.length / CHARACTERS_OF_A_NODE);
    } else throw this.malformed('a node of an unknown kind', undefined);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, { value, nodes: this.nodes - before });
    return value;
  }

  /**
   * An alias costs as many nodes as its anchor stands for: the value itself is shared, but whoever reads it later walks
   * it each time. An anchor is known only once its node has ended, so that no value can hold itself.
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

  /** What stands at the merge key's place is put in over what came before; of a list the first has the last word. */
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
        // Without a tag of its own a plain scalar comes out of the failsafe schema as a string.
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

  /** The parser recurses, so text whose brackets or dashes open too many levels never reaches it. */
  private refuseDeepText(text: string): void {
    const { maxDepth } = this.options.limits;
    let brackets = 0;
    // Brackets in strings and comments count too; a hundredfold is far beyond any that occurs in one.
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

/** What the reader makes of a document without a single character. */
function isNothing(contents: Node | null): boolean {
  return contents === null || (isScalar(contents) && contents.source === '' && contents.anchor === undefined);
}

/** `__proto__` and its like are keys like any other. */
function put(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
