import { compare } from '../json/compare.js';
import { AdmissionRefusal, podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { defaultLimitRangeItem } from '../kubernetes/limit-range-defaults.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import type { LimitRange, LimitRangeItem } from '../kubernetes/objects/quota.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { claimLimitFaults, limitFaults, type LimitFault } from './limit-constraints.js';

export const NAME = 'LimitRanger';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/**
 * The pod with the limits and requests that the LimitRanges of its namespace give to containers, init containers included, that
 * lack them, for any resource. An annotation says what was set by the last LimitRange that set anything.
 *
 * Pods come here defaulted: a limit of their own has become a request already.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/limitranger/admission.go, `PodMutateLimitFunc`. The plugin leaves
 * updates alone.
 *
 * @param limitRanges every LimitRange of the namespace. They apply in the order of their names; upstream in no certain order
 */
export function admitLimitRanges(pod: Pod, limitRanges: readonly LimitRange[]): Pod {
  return ordered(limitRanges).reduce(withDefaults, pod);
}

/**
 * Refuses a pod that a LimitRange of its namespace does not allow, with everything that is wrong by the first that does not
 * (`PodValidateLimitFunc`).
 *
 * @throws {AdmissionRefusal} with status 403
 * @throws QuantityError for a text that is no quantity
 */
export function validateLimitRanges(pod: Pod, limitRanges: readonly LimitRange[]): void {
  for (const limitRange of ordered(limitRanges)) {
    const faults = [...new Set(faultsOf(limitRange, pod).map(({ text }) => text))];
    const [first] = faults;
    if (first === undefined) continue;
    const reason = faults.length === 1 ? first : `[${faults.join(', ')}]`;
    throw podForbidden(NAME, spokenName(pod), reason, faults);
  }
}

/** Everything about a pod that a LimitRange does not allow. */
export const faultsOf = (limitRange: LimitRange, pod: Pod): readonly LimitFault[] =>
  itemsOf(limitRange).flatMap((item) => limitFaults(item, pod));

/**
 * The same for a claim.
 *
 * @throws {AdmissionRefusal} with status 403
 */
export function validateClaimLimits(claim: PersistentVolumeClaim, limitRanges: readonly LimitRange[]): void {
  for (const limitRange of ordered(limitRanges)) {
    const items = itemsOf(limitRange).filter(({ type }) => type === 'PersistentVolumeClaim');
    const found = [...new Set(items.flatMap((item) => claimLimitFaults(item, claim)))];
    const [first] = found;
    if (first === undefined) continue;
    const reason = found.length === 1 ? first : `[${found.join(', ')}]`;
    const message = `persistentvolumeclaims ${quoteGo(claim.metadata.name)} is forbidden: ${reason}`;
    throw new AdmissionRefusal(NAME, 403, reason, message, found);
  }
}

const ordered = (limitRanges: readonly LimitRange[]): readonly LimitRange[] =>
  [...limitRanges].sort((a, b) => compare(a.metadata.name, b.metadata.name));

const itemsOf = ({ spec }: LimitRange): readonly LimitRangeItem[] => (spec?.limits ?? []).map(defaultLimitRangeItem);

function withDefaults(pod: Pod, limitRange: LimitRange): Pod {
  const items = itemsOf(limitRange).filter(({ type }) => type === 'Container');
  const requests = merged(items.map(({ defaultRequest }) => defaultRequest));
  const limits = merged(items.map((item) => item.default));
  const set: string[] = [];
  const completed = (container: Container, what: string): Container => {
    const missing = {
      requests: missingIn(container.resources?.requests, requests),
      limits: missingIn(container.resources?.limits, limits),
    };
    for (const [list, singular] of [
      [missing.requests, 'request'],
      [missing.limits, 'limit'],
    ] as const) {
      const names = list.map(([name]) => name).sort(compare);
      if (names.length > 0) set.push(`${names.join(', ')} ${singular} for ${what} ${container.name}`);
    }
    return withResources(container, missing.requests, missing.limits);
  };
  const { containers, initContainers } = pod.spec;
  const spec = {
    ...pod.spec,
    containers: containers.map((container) => completed(container, 'container')),
    ...(initContainers && {
      initContainers: initContainers.map((container) => completed(container, 'init container')),
    }),
  };
  if (set.length === 0) return pod;
  const annotations = Object.fromEntries([
    ...Object.entries(pod.metadata.annotations ?? {}),
    [ANNOTATION, `LimitRanger plugin set: ${set.join('; ')}`],
  ]);
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

type Entries = readonly (readonly [name: string, quantity: string])[];

/** Of several items the last one's counts. */
const merged = (lists: readonly (ResourceList | undefined)[]): ReadonlyMap<string, string> =>
  new Map(lists.flatMap((list) => Object.entries(list ?? {})));

const missingIn = (list: ResourceList = {}, defaults: ReadonlyMap<string, string>): Entries =>
  [...defaults].filter(([name]) => !Object.hasOwn(list, name));

function withResources(container: Container, requests: Entries, limits: Entries): Container {
  const { resources } = container;
  const list = (own: ResourceList | undefined, added: Entries): ResourceList =>
    Object.fromEntries([...Object.entries(own ?? {}), ...added]);
  return {
    ...container,
    resources: {
      ...resources,
      ...(requests.length > 0 && { requests: list(resources?.requests, requests) }),
      ...(limits.length > 0 && { limits: list(resources?.limits, limits) }),
    },
  };
}
