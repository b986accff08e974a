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
  /** Where its reasons have its name; undefined if they do not. */
  readonly places: Places | undefined;
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
  const { node, reasons } = first;
  const template: Template = {
    of: first,
    texts: stringifyJson(reasons).split(quoted(node)),
    places: placesOf(reasons, node),
  };
  const isSame = stringifyJson(renamedNode(template, second.node)) === stringifyJson(second);
  return isSame && textOf(template, second.node) === stringifyJson(second.reasons) ? template : undefined;
}

function renamedNode(template: Template, name: string): ExplainedNode {
  const { places } = template;
  const { verdict, firstFail, reasons, untoleratedTaints, toleratedTaints } = template.of;
  const list = places === undefined ? reasons.slice() : (renamed(reasons, places, name) as Reasons[number][]);
  withOwnJson(list, () => textOf(template, name));
  return { node: name, verdict, firstFail, reasons: list, untoleratedTaints, toleratedTaints };
}

const textOf = ({ texts }: Template, name: string): string => texts.join(quoted(name));

/** Where a value has a name: it is the name itself, or members or items of it have it somewhere. */
type Places = typeof THE_NAME | readonly PlacesWithin[];

interface PlacesWithin {
  readonly key: string;
  readonly places: Places;
}

const THE_NAME: unique symbol = Symbol('name');

function placesOf(value: unknown, name: string): Places | undefined {
  if (value === name) return THE_NAME;
  if (typeof value !== 'object' || value === null) return undefined;
  const within = Object.entries(value as Readonly<Record<string, unknown>>).flatMap(
    ([key, inner]): readonly PlacesWithin[] => {
      const places = placesOf(inner, name);
      return places === undefined ? [] : [{ key, places }];
    },
  );
  return within.length === 0 ? undefined : within;
}

/** A value with another name in these places; parts without it are the same objects. */
function renamed(value: unknown, places: Places, name: string): unknown {
  if (places === THE_NAME) return name;
  const copy = (Array.isArray(value) ? value.slice() : { ...(value as object) }) as Record<string, unknown>;
  for (const { key, places: within } of places) copy[key] = renamed(copy[key], within, name);
  return copy;
}
