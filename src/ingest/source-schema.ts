import { stringifyJson } from '../core/json/lossless-json.js';
import type { Schema } from '../core/kubernetes/schema/schema.js';
import { type MemoBudget, SourceMemo } from './source-memo.js';

/** The types of values at a place in the source; numbers, so that a reader can branch on them quickly. */
export const NodeType = {
  string: 0,
  boolean: 1,
  int32: 2,
  int64: 3,
  quantity: 4,
  time: 5,
  intOrString: 6,
  anything: 7,
  map: 8,
  list: 9,
  object: 10,
  refined: 11,
  constant: 12,
  never: 13,
} as const;
type NodeTypeNumber = (typeof NodeType)[keyof typeof NodeType];

const SCALARS = {
  string: NodeType.string,
  boolean: NodeType.boolean,
  int32: NodeType.int32,
  int64: NodeType.int64,
  quantity: NodeType.quantity,
  time: NodeType.time,
  'int-or-string': NodeType.intOrString,
  anything: NodeType.anything,
  constant: NodeType.constant,
} as const;

/** Texts to extract while an object is read, by member name. */
export interface Watched {
  /** The number under which to capture the canonical text of this value; of a dropped one, the source. */
  readonly capture?: number;
  /** Derives a kept member from the source of a dropped one; undefined if there is nothing to derive. */
  readonly derive?: { readonly name: string; readonly valueOf: (source: string) => unknown };
  readonly members?: Readonly<Record<string, Watched>>;
}

/** A schema compiled for reading source text, for one schema and either kept or dropped values. */
export class SourceNode {
  /** `object`: its fields; those that the typed object always has come first. */
  readonly fields = new Map<string, SourceField>();
  always: readonly SourceField[] = [];
  /** `object`: a placeholder before the first field, which predicts that field. */
  readonly start: SourceField;
  /** `object`: nothing is written of one without members. */
  sparse = false;
  /** `map`: the values; `list`: the items; `refined`: the object itself. */
  inner: SourceNode | undefined;
  keeps: ((key: string) => boolean) | undefined;
  refine: ((value: never) => unknown) | undefined;
  /** `constant`: the only valid source. */
  text: Uint8Array = new Uint8Array(0);
  memo: SourceMemo | undefined;

  constructor(
    readonly type: NodeTypeNumber,
    readonly schema: Schema<unknown>,
    readonly keep: boolean,
  ) {
    this.start = new SourceField('', -1, this);
  }
}

/** A field of an object, with its name as in the source and in the canonical text. */
export class SourceField {
  readonly quoted: Uint8Array;
  /** The comma before it, the name, the colon. */
  readonly label: Uint8Array;
  /** The label with the value of an absent field; empty if it has none. */
  zero: Uint8Array = new Uint8Array(0);
  /** The position among the kept fields in code unit order; -1 if the field is dropped. */
  rank = -1;
  /** The field that followed this one last time. */
  next: SourceField;
  capture = -1;
  /** Whether its presence is passed to the enclosing refinement. */
  flagged = false;
  derive: { readonly into: SourceField; readonly valueOf: (source: string) => unknown } | undefined;

  constructor(
    readonly name: string,
    readonly index: number,
    readonly node: SourceNode,
  ) {
    this.quoted = Buffer.from(JSON.stringify(name));
    this.label = Buffer.from(`,${JSON.stringify(name)}:`);
    this.next = this;
  }
}

/** A reader detects duplicate fields by a bit in one of two numbers. */
const MAX_FIELDS = 64;

/** Compiles schemas for one kind. Parts that occur in several places are shared, including their caches. */
export class SourceSchemas {
  private readonly shared = new Map<Schema<unknown>, [kept?: SourceNode, dropped?: SourceNode]>();

  constructor(private readonly budget: MemoBudget) {}

  compile(schema: Schema<unknown>, keep: boolean, watched?: Watched): SourceNode {
    if (watched !== undefined) return this.make(schema, keep, watched, false);
    const pair = this.shared.get(schema) ?? [];
    this.shared.set(schema, pair);
    return (pair[keep ? 0 : 1] ??= this.make(schema, keep, undefined, true));
  }

  private make(schema: Schema<unknown>, keep: boolean, watched: Watched | undefined, memo: boolean): SourceNode {
    const { shape } = schema;
    switch (shape.type) {
      case 'map':
      case 'string-map': {
        const node = new SourceNode(NodeType.map, schema, keep);
        if (shape.type === 'map') node.inner = this.compile(shape.values, keep);
        else node.keeps = shape.keeps;
        if (memo) node.memo = new SourceMemo(this.budget);
        return node;
      }
      case 'list': {
        const node = new SourceNode(NodeType.list, schema, keep);
        node.inner = this.compile(shape.items, keep);
        if (memo) node.memo = new SourceMemo(this.budget);
        return node;
      }
      case 'refined': {
        if (!keep) return this.compile(shape.inner, false);
        const node = new SourceNode(NodeType.refined, schema, keep);
        node.inner = this.make(shape.inner, true, undefined, false);
        node.refine = shape.refine;
        const field = node.inner.fields.get(shape.onlyWith);
        if (field !== undefined) field.flagged = true;
        if (memo) node.memo = new SourceMemo(this.budget);
        return node;
      }
      case 'object': {
        const type = shape.fields.size > MAX_FIELDS ? NodeType.never : NodeType.object;
        const node = new SourceNode(type, schema, keep);
        node.sparse = shape.sparse;
        this.addFields(node, shape, watched);
        if (memo) node.memo = new SourceMemo(this.budget);
        return node;
      }
      default: {
        const node = new SourceNode(SCALARS[shape.type], schema, keep);
        if (shape.type === 'constant') node.text = Buffer.from(JSON.stringify(schema.zero()));
        return node;
      }
    }
  }

  private addFields(
    node: SourceNode,
    { fields, always }: Schema<unknown>['shape'] & { type: 'object' },
    watched: Watched | undefined,
  ): void {
    const names = new Set([...always.map(([name]) => name), ...fields.keys()]);
    const derived: SourceField[] = [];
    for (const name of names) {
      const { schema, keep } = fields.get(name)!;
      const watch =
        watched?.members !== undefined && Object.hasOwn(watched.members, name) ? watched.members[name] : undefined;
      const inner = this.compile(schema, node.keep && keep, watch?.members && watch);
      const field = new SourceField(name, node.fields.size, inner);
      if (watch?.capture !== undefined) field.capture = watch.capture;
      if (watch?.derive !== undefined) {
        const into = new SourceField(watch.derive.name, -1, inner);
        field.derive = { into, valueOf: watch.derive.valueOf };
        derived.push(into);
      }
      node.fields.set(name, field);
    }
    if (!node.keep) return;
    node.always = always.map(([name]) => node.fields.get(name)!);
    for (const [name, schema] of always) {
      const field = node.fields.get(name)!;
      field.zero = Buffer.concat([field.label, Buffer.from(stringifyJson(schema.zero(), { sortKeys: true }))]);
    }
    const kept = [...node.fields.values()].filter((field) => field.node.keep).concat(derived);
    kept.sort((a, b) => (a.name < b.name ? -1 : 1)).forEach((field, rank) => (field.rank = rank));
  }
}
