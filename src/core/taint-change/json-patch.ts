import { escapePointer } from '../json/escape-pointer.js';
import { sameValue } from '../json/same-value.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** An operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The JSON Patch that applies an edit to a node of the cluster, or none for an empty edit. `before` is the known node,
 * `asked` the result of the same name from `applyTaintEdit`, without what the node lifecycle controller will add.
 *
 * The first operation is a test, so that a node that another client has changed in the meantime is not modified: of the
 * resource version if it is known, else of the taints.
 *
 * For `kubectl patch node NAME --type json`; the API server writes every node's `spec`, so its members can be added.
 */
export function jsonPatch(before: Node, asked: Node): JsonPatchOperation[] {
  const changes = [
    ...patchMember('/spec/taints', listed(before), listed(asked), inOrder),
    ...patchMember('/spec/unschedulable', cordoned(before), cordoned(asked)),
    ...patchLabels(before.metadata.labels, asked.metadata.labels),
  ];
  return changes.length === 0 ? [] : [...guard(before), ...changes];
}

const listed = ({ spec }: Node): readonly Taint[] | undefined =>
  spec?.taints?.length === 0 ? undefined : spec?.taints;

/** With their members in the order in which the API server writes them, whatever their order where they were read. */
const inOrder = (taints: readonly Taint[] | undefined): readonly Taint[] | undefined =>
  taints?.map(({ key, value, effect, timeAdded }) => ({
    key,
    ...(value === undefined ? {} : { value }),
    effect,
    ...(timeAdded === undefined ? {} : { timeAdded }),
  }));

const cordoned = ({ spec }: Node): true | undefined => (spec?.unschedulable === true ? true : undefined);

function guard(before: Node): JsonPatchOperation[] {
  const { resourceVersion = '' } = before.metadata;
  if (resourceVersion !== '') return [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }];
  const taints = listed(before);
  return taints === undefined ? [] : [{ op: 'test', path: '/spec/taints', value: inOrder(taints) }];
}

function patchMember<Value>(
  path: string,
  before: Value,
  after: Value,
  written: (value: Value) => unknown = (value) => value,
): JsonPatchOperation[] {
  if (sameValue(before, after)) return [];
  return after === undefined ? [{ op: 'remove', path }] : [{ op: 'add', path, value: written(after) }];
}

function patchLabels(before: Labels | undefined, after: Labels = {}): JsonPatchOperation[] {
  if (before === after) return [];
  if (before === undefined) {
    return Object.keys(after).length === 0 ? [] : [{ op: 'add', path: '/metadata/labels', value: after }];
  }
  const former = new Map(Object.entries(before));
  const kept = new Map(Object.entries(after));
  const pathOf = (key: string): string => `/metadata/labels/${escapePointer(key)}`;
  return [
    ...[...kept].flatMap(([key, value]) => patchMember(pathOf(key), former.get(key), value)),
    ...[...former.keys()].filter((key) => !kept.has(key)).map((key) => ({ op: 'remove' as const, path: pathOf(key) })),
  ];
}
