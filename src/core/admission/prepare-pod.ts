import { NOTHING } from '../collections/nothing.js';
import { dropDisabledFields } from '../kubernetes/disabled-fields.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ObjectMeta } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import { preparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { computeQos } from '../resources/qos.js';
import type { AdmissionRequest } from './admission-plugins.js';

/** The kept fields of a whole pod are those of a pod; plugins hand on the others as they are, so that it is whole again. */
export const asPod = (pod: WholePod | Pod): Pod => pod as unknown as Pod;

/**
 * `PrepareForCreate` and `PrepareForUpdate`, k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go: nobody brings a status of
 * their own. A name that is still to be drawn is drawn before.
 */
export function prepared(pod: Pod, request: AdmissionRequest, rules: KubernetesRules): Pod {
  if (request.operation === 'update') {
    const { status, spec: stored } = request.stored;
    return { ...asPod({ ...pod, spec: dropDisabledFields(pod.spec, rules, stored) }), ...(status && { status }) };
  }
  const { spec, metadata, ...rest } = asPod(preparedPod(pod, rules));
  return {
    ...NOTHING,
    ...rest,
    metadata: named(metadata),
    spec,
    status: { phase: 'Pending', qosClass: computeQos({ spec }) },
  };
}

/** As k8s.io/apiserver v0.36.2, pkg/storage/names/generate.go, but for the five characters, which are not drawn here. */
function named(metadata: ObjectMeta): ObjectMeta {
  const { name, generateName = '' } = metadata;
  if (name !== '' || generateName === '') return metadata;
  return { ...metadata, name: `${generateName.slice(0, MAX_PREFIX_LENGTH)}${'x'.repeat(DRAWN)}` };
}

const DRAWN = 5;
const MAX_PREFIX_LENGTH = 63 - DRAWN;
