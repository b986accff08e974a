import { quoteGo } from '../../kubernetes/go-text.js';
import { hasEnded } from '../../kubernetes/has-ended.js';
import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

interface Waiting {
  readonly namespace: string;
  readonly template: string;
  /** The entry of `spec.resourceClaims` of the first of the pods. */
  readonly entry: string;
  readonly counter: OccurrenceCounter;
}

/**
 * Templates of ResourceClaims that pods name and that do not exist, one finding each: no claim is made, and the pods stay Pending.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/resourceclaim/controller.go, `handleClaim`, and the event that `syncPod` records.
 */
export const claimTemplateAbsent: ClusterRule = ({ state }) => {
  if (!state.loadedKinds.has('ResourceClaimTemplate') || !state.rules.featureGates.DynamicResourceAllocation) return [];
  const { pods } = state;
  const missing = new Map<string, Waiting>();
  for (let index = 0; index < pods.count; index++) {
    if (pods.nodeName(index) !== '') continue;
    const pod = pods.pod(index);
    const { spec, status, metadata } = pod;
    const { resourceClaims = [] } = spec;
    if (resourceClaims.length === 0 || metadata.deletionTimestamp !== undefined || hasEnded(pod)) continue;
    const namespace = pods.namespace(index);
    for (const { name: entry, resourceClaimTemplateName: template } of resourceClaims) {
      const isMade = status?.resourceClaimStatuses?.some(({ name }) => name === entry) === true;
      if (template === undefined || isMade) continue;
      if (state.find('ResourceClaimTemplate', namespace, template) !== undefined) continue;
      const key = `${namespace}/${template}`;
      const one = missing.get(key) ?? { namespace, template, entry, counter: new OccurrenceCounter('Pod') };
      missing.set(key, one);
      one.counter.add(pods.key(index));
    }
  }
  return [...missing.values()].map(({ namespace, template, entry, counter }) => ({
    code: 'claim-template-absent',
    severity: 'warning',
    subject: { kind: 'ResourceClaimTemplate', namespace, name: template },
    field: 'spec.resourceClaims',
    pointer: '/spec/resourceClaims',
    message: `Pods name the ResourceClaimTemplate ${template}, which does not exist: they stay Pending. Their event FailedResourceClaimCreation says: PodResourceClaim ${entry}: resource claim template ${quoteGo(template)}: resourceclaimtemplate.resource.k8s.io ${quoteGo(template)} not found`,
    suggestions: [
      { text: `Create the ResourceClaimTemplate ${namespace}/${template}, or correct its name in the pods.` },
    ],
    occurrences: counter.result,
  }));
};
