import { quoted, stringifyJson } from '../../core/json/lossless-json.js';
import { withOwnJson } from '../known-json.js';
import { partsOf, type ExplainedNode } from './node-response.js';

type Reasons = ExplainedNode['reasons'];

/** Nodes with one key. `first` until a second one has shown where the name stands; then `template`, or neither if it does not show that. */
interface Named {
  readonly first?: ExplainedNode;
  readonly template?: Template;
}

interface Template {
  readonly of: ExplainedNode;
  /** The JSON of its reasons, between its names. */
  readonly texts: readonly string[];
}

/**
 * Explanations of nodes that differ in the names of the nodes alone: two nodes of each key are explained, and of the others the name is put in
 * where these two have theirs.
 */
export class NamedNodes {
  private readonly known = new Map<string, Named>();

  /** Of further keys, and of explanations with more parts, each node is explained by itself. */
  constructor(private readonly limits: { readonly keys: number; readonly parts: number }) {}

  /**
   * @param explain explains the node
   * @param whenKept called if its explanation is kept
   */
  explained(key: string, name: string, explain: () => ExplainedNode, whenKept: () => void): ExplainedNode {
    const known = this.known.get(key);
    if (known?.template !== undefined) return renamedNode(known.template, name);
    const explained = explain();
    if (known === undefined) {
      if (this.known.size < this.limits.keys && partsOf(explained) <= this.limits.parts) {
        this.known.set(key, { first: explained });
        whenKept();
      }
    } else if (known.first !== undefined) {
      const template = templateOf(known.first, explained);
      this.known.set(key, template === undefined ? {} : { template });
    }
    return explained;
  }
}

/** Undefined if two nodes differ in more than their names, or not everywhere where the first has its name. */
function templateOf(first: ExplainedNode, second: ExplainedNode): Template | undefined {
  const template = { of: first, texts: stringifyJson(first.reasons).split(quoted(first.node)) };
  const isSame = stringifyJson(renamedNode(template, second.node)) === stringifyJson(second);
  return isSame && textOf(template, second.node) === stringifyJson(second.reasons) ? template : undefined;
}

function renamedNode(template: Template, name: string): ExplainedNode {
  const { node, verdict, firstFail, reasons, untoleratedTaints, toleratedTaints } = template.of;
  const list = (renamed(reasons, node, name) as Reasons).slice();
  withOwnJson(list, () => textOf(template, name));
  return { node: name, verdict, firstFail, reasons: list, untoleratedTaints, toleratedTaints };
}

const textOf = ({ texts }: Template, name: string): string => texts.join(quoted(name));

/** A value with another name wherever it has one; parts without it are the same objects. */
function renamed(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value === from ? to : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let list: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      const after = renamed(item, from, to);
      if (after === item) continue;
      list ??= value.slice();
      list[index] = after;
    }
    return list ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [member, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const after = renamed(inner, from, to);
    if (after === inner) continue;
    copy ??= { ...value };
    copy[member] = after;
  }
  return copy ?? value;
}
