import type { ClusterState } from '../cluster/cluster-state.js';
import { isJsonObject, type JsonValue } from '../json/json-value.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { templatePath, WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { COSCHEDULING } from '../placement/coscheduling-filter.js';
import { groupOfPod, whyUnknown } from '../placement/pod-groups.js';
import { profileNamed, schedulerConfigurationIn } from '../scheduling/profiles-in.js';
import type { Doubt } from './judge-rollout.js';
import { valueAt } from './proposal/edit-json.js';

/**
 * Of pods that may be placed only together with others, or that something else has to admit first: that this is not judged.
 *
 * @param state with the PodGroups of the request
 */
export function groupDoubts(state: ClusterState, { kind, namespace, value }: ManifestObject): readonly Doubt[] {
  if (kind !== 'Pod' && !(WORKLOAD_KINDS as readonly string[]).includes(kind)) return [];
  const path = templatePath({ kind });
  const [labels, annotations] = ['labels', 'annotations'].map((name) => ({
    // Kueue reads the labels of the workload, too.
    ...textsIn(valueAt(value, ['metadata', name])),
    ...textsIn(valueAt(value, [...path, 'metadata', name])),
  }));
  const group = valueAt(value, [...path, 'spec', 'schedulingGroup', 'podGroupName']);
  const workloadRef = valueAt(value, [...path, 'spec', 'workloadRef']);
  const schedulerName = valueAt(value, [...path, 'spec', 'schedulerName']);
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: '', namespace: namespace ?? 'default', labels: labels!, annotations: annotations! },
    spec: {
      containers: [],
      ...(typeof group === 'string' && { schedulingGroup: { podGroupName: group } }),
      ...(workloadRef !== undefined && workloadRef !== null && { workloadRef: {} }),
    },
  };
  const named = typeof schedulerName === 'string' ? schedulerName : 'default-scheduler';
  const profile = profileNamed(schedulerConfigurationIn(state), named);
  const coscheduling = profile?.outOfTree.some(({ name }) => name === COSCHEDULING) === true;
  const found = groupOfPod(state, pod, { coscheduling });
  if (found?.treatment !== 'unknown') return [];
  return [{ plugin: found.source, missingKind: null, why: whyUnknown(found) }];
}

function textsIn(value: JsonValue | undefined): Labels {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
