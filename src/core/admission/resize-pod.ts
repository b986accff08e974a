import { AdmissionRefusal, podForbidden } from '../kubernetes/admission-refusal.js';
import { aggregateText } from '../kubernetes/error-aggregate.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { computeQos, podQos } from '../resources/qos.js';
import { validatePodResize } from '../kubernetes/validation/pod/validate-pod-resize.js';

const NAME = 'PodResizeValidator';

/** Where a pod is resized. */
export interface ResizeSurroundings {
  readonly rules: KubernetesRules;
  readonly findNode: (name: string) => Node | undefined;
}

/**
 * Refuses a resize of a pod, the subresource of that name, before quotas are asked: if there is no such subresource, if the new resources
 * are invalid, or if the pod's node can never have them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go, `podResizeStrategy`; plugin/pkg/admission/podresize.
 *
 * @param stored undefined for a pod that does not exist
 * @throws {AdmissionRefusal}
 */
export function admitResize(
  name: string,
  resized: (stored: Pod) => Pod,
  stored: Pod | undefined,
  { rules, findNode }: ResizeSurroundings,
): Pod {
  if (!rules.featureGates.InPlacePodVerticalScaling) throw notFound('the server could not find the requested resource');
  if (stored === undefined) throw notFound(`pods ${quoteGo(name)} not found`);
  const pod = resized(stored);
  const causes = validatePodResize(pod, stored, { before: podQos(stored), after: computeQos(pod) }, gatesOf(rules));
  if (causes.length > 0) {
    const text = aggregateText(causes);
    throw new AdmissionRefusal('validation', 422, text, `Pod ${quoteGo(name)} is invalid: ${text}`, [text], causes);
  }
  if (rules.minor >= VALIDATOR_SINCE) refuseUnlessNodeHas(pod, findNode);
  return pod;
}

const VALIDATOR_SINCE = 36;

const notFound = (message: string): AdmissionRefusal => new AdmissionRefusal('validation', 404, message, message);

function refuseUnlessNodeHas(pod: Pod, findNode: ResizeSurroundings['findNode']): void {
  const { name } = pod.metadata;
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') return;
  const node = findNode(nodeName);
  if (node === undefined) throw podForbidden(NAME, name, `node ${quoteGo(nodeName)} not found`);
  const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux';
  if (system !== 'linux') {
    throw podForbidden(NAME, name, `pod resize is only supported on linux nodes, node ${nodeName} is ${system}`);
  }
  const allocatable = parseResourceList(node.status?.allocatable);
  const requests = podRequests(pod);
  for (const resource of ['cpu', 'memory'] as const) {
    const [asked, has] = [requests.get(resource), allocatable.get(resource)];
    if (asked === undefined || has === undefined || asked.cmp(has) <= 0) continue;
    const [requested, given] = [asked, has].map((amount) =>
      resource === 'cpu' ? amount.milliValue() : amount.value(),
    );
    const reason = `node didn't have enough allocatable resources: ${resource}, requested: ${requested}, allocatable: ${given}`;
    throw podForbidden(NAME, name, reason, [reason], [{ type: 'NodeCapacity', field: '', message: reason }]);
  }
}
