import { parseSelector, SelectorSyntaxError, type Selector } from '../kubernetes/label-selector.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { NodeTargets } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** A node that a change affects, and the field that names it. */
export interface Target {
  readonly node: Node;
  readonly at: FieldPath;
}

const MEMBERS = ['nodes', 'labelSelector', 'allNodes'] as const;

/** The nodes that a change affects. A missing node is a fault, with the API server's message. */
export function* nodeTargets(
  draft: ScenarioDraft,
  targets: NodeTargets,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, readonly Target[]> {
  const given = MEMBERS.filter((member) => targets[member] !== undefined && targets[member] !== false);
  const [member] = given;
  if (member === undefined || given.length > 1) {
    const which = given.length > 1 ? `; these are ${given.length}: ${given.join(' and ')}` : '';
    faults.add(at, 'one-of', `specify exactly one of ${MEMBERS.join(', ')}${which}`);
    return [];
  }
  const place = at.child(member);
  if (member === 'nodes') return namedNodes(draft, targets.nodes ?? [], place, faults);
  const selector = readSelector(targets.labelSelector, place, faults);
  if (selector === 'refused') return [];
  const nodes = yield* draft.selectNodes(selector);
  return nodes.map((node) => ({ node, at: place }));
}

function namedNodes(
  draft: ScenarioDraft,
  names: readonly string[],
  at: FieldPath,
  faults: ScenarioFaults,
): readonly Target[] {
  if (names.length === 0) faults.add(at, 'required', 'specify at least one node');
  const targets = new Map<string, Target>();
  for (const [index, name] of names.entries()) {
    if (targets.has(name)) continue;
    const place = at.index(index);
    const node = nodeNamed(draft, name, place, faults);
    if (node !== undefined) targets.set(name, { node, at: place });
  }
  return [...targets.values()];
}

/** A node by name. A missing one is a fault, unless nodes that could not be added may include it. */
export function nodeNamed(draft: ScenarioDraft, name: string, at: FieldPath, faults: ScenarioFaults): Node | undefined {
  const node = draft.node(name);
  if (node === undefined && !draft.incomplete.nodes) {
    faults.add(at, 'object-not-found', `nodes ${quoteGo(name)} not found`);
  }
  return node;
}

/** A selector in kubectl's syntax; undefined if it is empty or absent, and then matches everything. */
export function readSelector(
  text: string | undefined,
  at: FieldPath,
  faults: ScenarioFaults,
): Selector | undefined | 'refused' {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    faults.add(at, 'invalid-selector', error.message);
    return 'refused';
  }
}
