import type { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import { nodeNamed } from './node-targets.js';
import { boundTo, unbound } from './pod-place.js';
import { podTargets } from './pod-targets.js';
import type { MovePods } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Moves pods to a node, whether they fit or not, or makes them pending. A pod that has ended cannot be moved. */
export function* movePods(
  draft: ScenarioDraft,
  change: MovePods,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const { nodeName, pending = false } = change;
  const before = faults.all.length;
  if ((nodeName !== undefined) === pending) faults.add(at, 'one-of', 'specify either nodeName or pending: true');
  else if (nodeName !== undefined) nodeNamed(draft, nodeName, at.child('nodeName'), faults);
  const isBad = faults.all.length > before;
  for (const pod of yield* podTargets(draft, change, at, faults)) {
    if (hasEnded(pod)) {
      if (change.pods === undefined) continue;
      const { namespace = '', name } = pod.metadata;
      const place = at.child('pods').index(change.pods.indexOf(`${namespace}/${name}`));
      faults.add(
        place,
        'pod-has-ended',
        `pods ${quoteGo(name)} has ended (${pod.status?.phase ?? ''}) and is on no node`,
      );
      continue;
    }
    if (isBad) continue;
    const moved = nodeName === undefined ? unbound(pod) : boundTo(pod, nodeName);
    const { nodeName: former = '' } = pod.spec;
    if (former === '' || former === nodeName) draft.putPod(moved);
    else draft.replacePod(pod, moved);
  }
}
