import type { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { readSelector } from './node-targets.js';
import type { PodTargets } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** The pods that a change affects. A missing pod is a fault, with the API server's message. */
export function* podTargets(
  draft: ScenarioDraft,
  { pods, namespace, labelSelector }: PodTargets,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, readonly Pod[]> {
  const selects = namespace !== undefined || labelSelector !== undefined;
  if ((pods !== undefined) === selects) {
    faults.add(at, 'one-of', 'specify either pods, or namespace, labelSelector or both');
    return [];
  }
  if (pods !== undefined) return namedPods(draft, pods, at.child('pods'), faults);
  const selector = readSelector(labelSelector, at.child('labelSelector'), faults);
  return selector === 'refused' ? [] : yield* draft.selectPods(namespace, selector);
}

function namedPods(draft: ScenarioDraft, keys: readonly string[], at: FieldPath, faults: ScenarioFaults): Pod[] {
  if (keys.length === 0) faults.add(at, 'required', 'specify at least one pod');
  const found = new Map<string, Pod>();
  for (const [index, key] of keys.entries()) {
    const pod = podOfKey(draft, key, at.index(index), faults);
    if (pod !== undefined) found.set(key, pod);
  }
  return [...found.values()];
}

/** @param key `namespace/name` */
export function podOfKey(draft: ScenarioDraft, key: string, at: FieldPath, faults: ScenarioFaults): Pod | undefined {
  const [namespace = '', name = '', ...more] = key.split('/');
  if (namespace === '' || name === '' || more.length > 0) {
    faults.add(at, 'invalid-pod-key', 'must be namespace/name');
    return undefined;
  }
  const pod = draft.pod({ namespace, name });
  if (pod === undefined && !draft.incomplete.pods) {
    faults.add(at, 'object-not-found', `pods ${quoteGo(name)} not found in namespace ${quoteGo(namespace)}`);
  }
  return pod;
}
