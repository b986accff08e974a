import { shareEqualParts } from '../json/share-equal-parts.js';
import { roundedList } from '../kubernetes/defaults.js';
import type { FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { rulesOfGates } from '../kubernetes/toleration.js';
import { validateLabels } from '../kubernetes/validation/label.js';
import { validateAffinity } from '../kubernetes/validation/pod/pod-affinity.js';
import { strictly } from '../kubernetes/validation/pod/pod-leniency.js';
import { validateResourceRequirements } from '../kubernetes/validation/resources.js';
import { validateTolerations } from '../kubernetes/validation/tolerations.js';
import { reviewQuotas } from '../quota/quota-admission.js';
import { computeQos } from '../resources/qos.js';
import type { AdmissionPluginName } from './admission-configuration.js';
import type { ClusterAdmission } from './admission-in.js';
import { withDefaultTolerations } from './default-toleration-seconds.js';
import { faultsOf } from './limit-ranger.js';
import { podOfManifest } from './pod-of-template.js';
import { readmitManifest, type ReadmissionOptions, type ReadmittedManifest } from './readmit-manifest.js';
import type { Placeable } from './read-pod-manifest.js';

/** Admitted pods that others are compared with; most changes of a pod change the same fields. */
const MOST_KNOWN = 8;

/** A changed pod as it was sent, and as it was admitted. */
interface KnownPod {
  readonly sent: Pod;
  readonly admitted: Pod;
}

/**
 * Changes of one manifest's pod, each as {@link readmitManifest} says it.
 *
 * Where a pod differs from one that was admitted in nothing but tolerations, node selector, node affinity and how much its containers
 * request, only the rules that read those are asked: validation of these fields, DefaultTolerationSeconds, LimitRanges and quotas. All
 * others take the pod as they took that one. Each pod is admitted by itself where more rules read them: policies, webhooks and pools, which
 * may read anything; plugins that are off by default and a RuntimeClass, which add to tolerations or node selector; pod-level resources; and
 * another QoS class.
 */
export class Readmissions {
  private readonly sent: Pod;
  private readonly isAlone: boolean;
  private readonly defaultsTolerations: boolean;
  private readonly known: KnownPod[] = [];

  /**
   * @param object a manifest that was admitted, and has a pod
   * @param admitted what became of it: the others have its parts where they are equal
   */
  constructor(
    private readonly object: Placeable,
    private readonly admitted: Pod,
    private readonly into: ClusterAdmission,
    private readonly options: ReadmissionOptions,
  ) {
    this.sent = podOfManifest(object)!;
    const { surroundings, configuration } = into;
    const { pools, policies, mutatingPolicies, webhooks } = surroundings;
    const readers = [policies?.policies, mutatingPolicies?.policies, webhooks?.mutating, webhooks?.validating];
    this.isAlone =
      pools !== undefined ||
      readers.some((list) => list !== undefined && list.length > 0) ||
      configuration.plugins.some((name) => READERS.has(name)) ||
      this.sent.spec.runtimeClassName !== undefined ||
      this.sent.spec.resources !== undefined ||
      object.kind === 'DaemonSet' ||
      options.skipAdmission === true;
    this.defaultsTolerations =
      configuration.plugins.includes(TOLERATIONS) && options.without?.includes(TOLERATIONS) !== true;
  }

  /** @param change of the pod's spec, as it stands in the manifest */
  readmit(change: (pod: Pod) => Pod): ReadmittedManifest {
    const sent = change(this.sent);
    const alike = this.readmitAlike(sent);
    if (alike !== undefined) return { outcome: 'admitted', pod: alike };
    const readmitted = readmitManifest(this.object, change, this.into, this.options);
    if (readmitted.outcome === 'refused') return readmitted;
    const admitted = shareEqualParts(readmitted.pod, this.admitted);
    if (!this.isAlone) {
      this.known.unshift({ sent, admitted });
      this.known.splice(MOST_KNOWN);
    }
    return { outcome: 'admitted', pod: admitted };
  }

  private readmitAlike(sent: Pod): Pod | undefined {
    for (const known of this.known) {
      const requests = changedRequests(known.sent, sent);
      if (requests === undefined) continue;
      const pod = this.withFields(withRequests(known.admitted, requests), sent);
      return this.allows(pod, requests, known) ? pod : undefined;
    }
    return undefined;
  }

  /** An admitted pod with the fields of another one, as that would have them once it was admitted. */
  private withFields(pod: Pod, sent: Pod): Pod {
    const { tolerations, nodeSelector, affinity } = sent.spec;
    const changed = {
      ...pod,
      spec: {
        ...pod.spec,
        ...(tolerations && { tolerations }),
        ...(nodeSelector && { nodeSelector }),
        ...(affinity?.nodeAffinity && { affinity: { ...pod.spec.affinity, nodeAffinity: affinity.nodeAffinity } }),
      },
    };
    if (tolerations === undefined || !this.defaultsTolerations) return changed;
    return withDefaultTolerations(changed, this.into.configuration.defaultTolerations);
  }

  /** Whether the rules that read what has changed have nothing against a pod that all others take. */
  private allows(pod: Pod, requests: readonly ChangedRequests[], { sent, admitted }: KnownPod): boolean {
    const { surroundings, configuration, gates } = this.into;
    const { limitRanges, quotas, now } = surroundings;
    const { limitedResources } = configuration;
    if (computeQos(pod) !== computeQos(admitted)) return false;
    const { tolerations, nodeSelector, affinity } = pod.spec;
    // What the two have in common is valid.
    const errors: readonly FieldError[] = [
      ...requests.flatMap(({ list, index }) =>
        validateResourceRequirements(pod.spec[list]?.[index]?.resources ?? {}, SPEC),
      ),
      ...validateTolerations(
        tolerations?.filter((one) => !sent.spec.tolerations?.includes(one)),
        SPEC,
        gates,
      ),
      ...(nodeSelector === sent.spec.nodeSelector ? [] : validateLabels(nodeSelector, SPEC)),
      ...(affinity === undefined || affinity.nodeAffinity === sent.spec.affinity?.nodeAffinity
        ? []
        : validateAffinity(affinity, SPEC, strictly(gates))),
    ];
    if (errors.length > 0 || limitRanges.some((limitRange) => faultsOf(limitRange, pod).length > 0)) return false;
    if (this.options.without?.includes('ResourceQuota') === true) return true;
    const options = { now, rules: rulesOfGates(gates), ...(limitedResources && { limited: limitedResources }) };
    return reviewQuotas(quotas, { operation: 'create', pod }, options).outcome === 'admitted';
  }
}

const SPEC = FieldPath.of('spec');
const TOLERATIONS: AdmissionPluginName = 'DefaultTolerationSeconds';
/** Plugins that add to tolerations or node selector, from what else they find. */
const READERS: ReadonlySet<AdmissionPluginName> = new Set([
  'PodNodeSelector',
  'PodTolerationRestriction',
  'ExtendedResourceToleration',
]);

const LISTS = ['containers', 'initContainers'] as const;
/** Members of a spec that are compared one by one, or not at all. */
const COMPARED_APART = [...LISTS, 'affinity', 'tolerations', 'nodeSelector'];

/** Requests of one container whose amounts differ. */
interface ChangedRequests {
  readonly list: (typeof LISTS)[number];
  readonly index: number;
  readonly requests: ResourceList;
}

/**
 * In which requests a pod differs from another. Undefined if more than these, tolerations, node selector and node affinity differ, or if
 * one of these is absent from one of the two; the order of members counts.
 */
function changedRequests(before: Pod, after: Pod): readonly ChangedRequests[] | undefined {
  const found: ChangedRequests[] = [];
  const areAlike =
    areAlikeBut(['spec'], before, after) &&
    areAlikeBut(COMPARED_APART, before.spec, after.spec) &&
    areAlikeBut(['nodeAffinity'], before.spec.affinity ?? {}, after.spec.affinity ?? {}) &&
    LISTS.every((list) => addChanged(list, before.spec[list] ?? [], after.spec[list] ?? [], found));
  return areAlike ? found : undefined;
}

/** @returns whether the containers differ in nothing but the amounts of requests */
function addChanged(
  list: ChangedRequests['list'],
  before: readonly Container[],
  after: readonly Container[],
  found: ChangedRequests[],
): boolean {
  if (before === after) return true;
  if (before.length !== after.length) return false;
  return after.every((container, index) => {
    const former = before[index]!;
    if (container === former) return true;
    const [{ resources: had = {} }, { resources = {} }] = [former, container];
    if (!areAlikeBut(['resources'], former, container) || !areAlikeBut(['requests'], had, resources)) return false;
    const [requested, requests] = [had.requests ?? {}, resources.requests ?? {}];
    if (!haveSameNames(requested, requests)) return false;
    const changed = Object.entries(requests).filter(([name, amount]) => requested[name] !== amount);
    if (changed.length > 0) found.push({ list, index, requests: Object.fromEntries(changed) });
    return true;
  });
}

type Members = Readonly<Record<string, unknown>>;

/** Whether two objects have the same members in the same order, and all but those of these names equal. */
function areAlikeBut(names: readonly string[], one: object, other: object): boolean {
  if (one === other) return true;
  const [left, right] = [one, other] as [Members, Members];
  return (
    haveSameNames(one, other) &&
    Object.keys(other).every((name) => names.includes(name) || shareEqualParts(right[name], left[name]) === left[name])
  );
}

function haveSameNames(one: object, other: object): boolean {
  const names = Object.keys(one);
  const others = Object.keys(other);
  return names.length === others.length && names.every((name, index) => name === others[index]);
}

/** The pod with other amounts of what its containers request, as the API server writes them. */
function withRequests(pod: Pod, changed: readonly ChangedRequests[]): Pod {
  const spec = changed.reduce<PodSpec>((made, { list, index, requests }) => {
    const amounts = roundedList(requests);
    const containers = (made[list] ?? []).map((container, at): Container => {
      if (at !== index) return container;
      const { resources } = container;
      return { ...container, resources: { ...resources, requests: { ...resources?.requests, ...amounts } } };
    });
    return { ...made, [list]: containers };
  }, pod.spec);
  return { ...pod, spec };
}
