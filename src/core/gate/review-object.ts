import { admitPod } from '../admission/admission-chain.js';
import { asksWebhooks } from '../admission/admission-stations.js';
import { DENYING } from '../admission/admission-plugins.js';
import { admissionIn, type ClusterAdmission } from '../admission/admission-in.js';
import { deploymentObject } from '../admission/policies/deployment-object.js';
import { judgeByPolicies } from '../admission/policies/judge-policies.js';
import { labelsOf, mayApply } from '../admission/policies/match-request.js';
import { NAME as MUTATING } from '../admission/policies/mutating/mutating-admission-policy.js';
import { namespaceLabels, storedNamespace } from '../admission/policies/namespace-object.js';
import type { PolicyRequest } from '../admission/policies/policy-request.js';
import type { PolicyWork } from '../admission/policies/policy-work.js';
import { NAME as POLICIES } from '../admission/policies/validating-admission-policy.js';
import { STOCK_POD_SECURITY } from '../admission/pod-security/pod-security-configuration.js';
import {
  reviewNamespaceLabels,
  reviewNewNamespace,
  type ExistingPod,
} from '../admission/pod-security/review-namespace.js';
import { reviewPod, reviewTemplate } from '../admission/pod-security/review-pod.js';
import { withName } from '../admission/read-pod-manifest.js';
import { askWebhooks, WEBHOOK_PLUGIN } from '../admission/webhooks/ask-webhooks.js';
import { CelUnsupported } from '../cel/errors.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { JsonObject } from '../json/json-value.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { decodeObject } from '../kubernetes/decode.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { kindInfo, kindOf, isKeptKind, type KeptKind } from '../kubernetes/kinds.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { ValidatingAdmissionPolicy } from '../kubernetes/objects/admission-policies.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { templateOf, WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { newPod } from '../kubernetes/validation/pod/validate-pod.js';
import { mergedOver, readManifest } from '../rollout/api-objects.js';
import { isWhole } from '../rollout/templates.js';
import { isUnchanged } from '../rollout/unchanged.js';
import type { Doubt } from './judge-rollout.js';

/** What admission says of an object, besides what the rollout of its pods tells. */
export interface ObjectReview {
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
  readonly refusal?: { readonly code: number; readonly by: string; readonly message: string };
  /** What may refuse it and is not known. */
  readonly doubts: readonly Doubt[];
  /** What cannot be said in the words of the API server, as a sentence without its full stop. */
  readonly note?: string;
}

const NOTHING: ObjectReview = { warnings: [], doubts: [] };
const POD_SECURITY = 'PodSecurity';
const WORKLOADS: ReadonlySet<string> = new Set(WORKLOAD_KINDS);
/** Objects that admission of others of the same request looks up. */
const LOOKED_UP: ReadonlySet<string> = new Set([
  'Namespace',
  'LimitRange',
  'ServiceAccount',
  'PriorityClass',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/**
 * What PodSecurity and ValidatingAdmissionPolicies say of the objects of a request. Of pods these are the warnings alone: what
 * refuses them is found when they are created.
 */
export class ObjectReviews {
  private readonly admissions = new Map<string, ClusterAdmission>();
  private readonly state: ClusterState;

  constructor(
    private readonly before: ClusterState,
    objects: readonly ManifestObject[],
    /** `now` in milliseconds since the epoch. */
    private readonly options: { readonly now: number; readonly work: PolicyWork },
  ) {
    const upserts = objects.flatMap(({ kind, namespace, value }): readonly KubernetesObject[] => {
      if (!LOOKED_UP.has(kind)) return [];
      const decoded = decodeObject(value, { minor: before.rules.minor });
      if (decoded.outcome !== 'object') return [];
      const { object } = decoded;
      return namespace === undefined ? [object] : [{ ...object, metadata: { ...object.metadata, namespace } }];
    });
    this.state = upserts.length === 0 ? before : before.apply({ upserts });
  }

  of(object: ManifestObject): ObjectReview {
    const { kind, value } = object;
    const denial = this.denial(object);
    if (denial !== undefined) return denial;
    if (kind === 'Namespace') return this.withUnasked(object, this.ofNamespace(object));
    const decoded = decodeObject(withName(value), { whole: true, minor: this.before.rules.minor });
    if (decoded.outcome !== 'object') return NOTHING;
    if (kind === 'Pod') return this.ofPod(object, decoded.object as Pod);
    const review = this.withUnasked(object, this.withQuotas(object, this.ofPolicies(object)));
    if (!WORKLOADS.has(kind)) return review;
    const warnings = this.ofTemplate(object, decoded.object as Workload);
    return { ...review, warnings: [...warnings, ...review.warnings] };
  }

  /** AlwaysDeny refuses everything; pods when they are created. */
  private denial(object: ManifestObject): ObjectReview | undefined {
    const { kind, name } = object;
    if (kind === 'Pod' || !isKeptKind(kind) || !this.into(object).configuration.plugins.includes(ALWAYS_DENY)) {
      return undefined;
    }
    const message = `${resourceText(object.apiVersion, kind)} ${quoteGo(name)} is forbidden: ${DENYING}`;
    return { warnings: [], refusal: { code: 403, by: ALWAYS_DENY, message }, doubts: [] };
  }

  private get admissionOptions() {
    const { now, work } = this.options;
    return { now, work };
  }

  private into({ namespace = '' }: Pick<ManifestObject, 'namespace'>): ClusterAdmission {
    let admission = this.admissions.get(namespace);
    if (admission === undefined) {
      this.admissions.set(namespace, (admission = admissionIn(this.state, namespace, this.admissionOptions)));
    }
    return admission;
  }

  private isOn(plugin: typeof POD_SECURITY | typeof POLICIES, object: Pick<ManifestObject, 'namespace'>): boolean {
    return this.into(object).configuration.plugins.includes(plugin);
  }

  /** The namespace of an object, as far as its labels are known. */
  private secured(object: Pick<ManifestObject, 'namespace'>) {
    const { namespace } = this.into(object).surroundings;
    return namespace === undefined
      ? undefined
      : { name: namespace.metadata.name, labels: namespace.metadata.labels ?? {} };
  }

  /** What a manifest makes of a stored object of which all fields are known. */
  private knownUpdate(object: ManifestObject): KnownUpdate | undefined {
    const { apiVersion, kind, namespace, name } = object;
    const info = kindOf(apiVersion, kind);
    const stored = info && this.before.find(info.kind, namespace, name);
    if (!isWhole(stored)) return undefined;
    const read = readManifest(object, this.before.rules.minor);
    if (read.outcome !== 'read') return undefined;
    return { stored, merged: isUnchanged(stored, read.object) ? stored : mergedOver(stored, read.object) };
  }

  private ofPod(object: ManifestObject, decoded: Pod): ObjectReview {
    // A pod that is there is not created: what its change comes to is found when it is sent.
    if (this.before.find('Pod', object.namespace ?? 'default', object.name) !== undefined) return NOTHING;
    const pod = { ...decoded, metadata: { ...decoded.metadata, namespace: object.namespace ?? 'default' } };
    const into = this.into(object);
    const namespace = this.secured(object);
    const { podSecurity = STOCK_POD_SECURITY } = into.configuration;
    const admission = admitPod({ operation: 'create', pod: pod as unknown as WholePod }, into);
    const isReached = admission.outcome === 'admitted' || admission.steps.some(({ by }) => by === POD_SECURITY);
    const ofSecurity =
      namespace === undefined || !isReached || !this.isOn(POD_SECURITY, object)
        ? []
        : reviewPod({ pod: newPod(pod, this.before.rules), namespace }, podSecurity).warnings;
    return {
      warnings: [...ofSecurity, ...(admission.policyReport?.warnings ?? [])],
      doubts: admission.certain ? [] : admission.undecided,
    };
  }

  private ofTemplate(object: ManifestObject, workload: Workload): readonly string[] {
    const namespace = this.secured(object);
    if (namespace === undefined || !this.isOn(POD_SECURITY, object)) return [];
    const { podSecurity = STOCK_POD_SECURITY } = this.into(object).configuration;
    const pod = templateOf(workload) as WholePod | undefined;
    return reviewTemplate({ namespace, ...(pod !== undefined && { pod }) }, podSecurity).warnings;
  }

  private ofNamespace(object: ManifestObject): ObjectReview {
    const { name, value } = object;
    const into = admissionIn(this.before, name, this.admissionOptions);
    if (!into.configuration.plugins.includes(POD_SECURITY)) return NOTHING;
    const { podSecurity = STOCK_POD_SECURITY } = into.configuration;
    const decoded = decodeObject(value, { minor: this.before.rules.minor });
    if (decoded.outcome !== 'object') return NOTHING;
    const stored = this.before.find('Namespace', undefined, name);
    const labels = { ...stored?.metadata.labels, ...decoded.object.metadata.labels };
    const namespace = { name, labels };
    if (stored === undefined) return ofNamespaceReview(reviewNewNamespace(namespace, podSecurity));
    const former = stored.metadata.labels ?? {};
    const silent = ofNamespaceReview(reviewNamespaceLabels(namespace, former, [], podSecurity));
    const looksAtPods = reviewNamespaceLabels(namespace, former, [PRIVILEGED], podSecurity);
    const isSilent = looksAtPods.outcome === 'refused' || looksAtPods.warnings.length === silent.warnings.length;
    return isSilent || !this.hasPods(name) ? silent : { ...silent, note: WARNS_OF_PODS };
  }

  /**
   * Quotas on Services and their ports, which are not counted here. Another version of a Service can only need other ports.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core/services.go.
   */
  private withQuotas(object: ManifestObject, review: ObjectReview): ObjectReview {
    const { kind, namespace, name } = object;
    if (kind !== 'Service' || review.refusal !== undefined || isNoUpdate(this.knownUpdate(object))) return review;
    const isNew = this.before.find(kind, namespace, name) === undefined;
    const limiting = this.into(object).surroundings.quotas.flatMap(({ metadata: { name }, spec, status }) =>
      Object.keys(status?.hard ?? spec?.hard ?? {})
        .filter((resource) => (isNew && resource === 'services') || resource.startsWith('services.'))
        .map((resource) => ({
          plugin: 'ResourceQuota',
          missingKind: null,
          why: `quota ${name} limits ${resource}, which is not counted here`,
        })),
    );
    return limiting.length === 0 ? review : { ...review, doubts: [...review.doubts, ...limiting] };
  }

  /** Webhooks and mutating policies that the object itself is for; those of its pods are asked when these are created. */
  private withUnasked(object: ManifestObject, review: ObjectReview): ObjectReview {
    const request = this.policyRequest(object);
    if (request === undefined || review.refusal !== undefined) return review;
    const into = this.into({ namespace: object.kind === 'Namespace' ? object.name : object.namespace });
    const { namespace, webhooks, mutatingPolicies, work } = into.surroundings;
    const labels = object.kind === 'Namespace' ? labelsOf(request.object) : namespace && namespaceLabels(namespace);
    const what = `the ${object.kind}`;
    const doubts: Doubt[] = [];
    for (const type of ['mutating', 'validating'] as const) {
      if (webhooks === undefined || !asksWebhooks(into.configuration, type)) continue;
      const unknown = `not every field of ${what} is known`;
      const whole = (): PolicyRequest | { readonly unknown: string } =>
        isUnchangedIn(request) ? request : { unknown };
      const asked = { outline: request, namespaceLabels: labels, work, whole };
      try {
        for (const { assumedHarmless, why } of askWebhooks(webhooks, type, asked, what)) {
          if (!assumedHarmless) doubts.push({ plugin: WEBHOOK_PLUGIN[type], missingKind: null, why });
        }
      } catch (error) {
        if (!(error instanceof AdmissionRefusal)) throw error;
        const { status: code, plugin: by, message } = error;
        return { warnings: [], refusal: { code, by, message }, doubts: [] };
      }
    }
    if (mutatingPolicies !== undefined && into.configuration.plugins.includes(MUTATING)) {
      for (const policy of mutatingPolicies.policies) {
        if (!mayApply(policy, mutatingPolicies.bindings, request, labels)) continue;
        const why = `${MUTATING} ${quoteGo(policy.metadata.name)} applies to ${what} and may change or refuse it`;
        doubts.push({ plugin: MUTATING, missingKind: null, why });
      }
    }
    return doubts.length === 0 ? review : { ...review, doubts: [...review.doubts, ...doubts] };
  }

  private hasPods(namespace: string): boolean {
    const { pods } = this.before;
    for (let index = 0; index < pods.count; index++) if (pods.namespace(index) === namespace) return true;
    return false;
  }

  private ofPolicies(object: ManifestObject): ObjectReview {
    if (!this.isOn(POLICIES, object)) return NOTHING;
    const { surroundings } = this.into(object);
    const { namespace, policies, notLoaded = [] } = surroundings;
    if (policies === undefined || notLoaded.includes('ValidatingAdmissionPolicy')) return NOTHING;
    const request = this.policyRequest(object);
    if (request === undefined) return NOTHING;
    const labels = namespace === undefined ? undefined : namespaceLabels(namespace);
    const applying = policies.policies
      .filter((policy) => mayApply(policy, policies.bindings, request, labels))
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const warnings: string[] = [];
    const doubts: Doubt[] = [];
    const doubt = (name: string, why: string): number =>
      doubts.push({ plugin: POLICIES, missingKind: null, why: `${POLICIES} ${quoteGo(name)} ${why}` });
    for (const policy of applying) {
      const { name } = policy.metadata;
      if (!this.isKnownTo(policy, request, object)) {
        doubt(name, `applies to the ${object.kind}, of which not every field is known`);
        continue;
      }
      const { params = NO_PARAMS, bindings } = policies;
      const around = {
        policies: [policy],
        bindings,
        params,
        namespace: storedNamespace(namespace),
        work: this.options.work,
      };
      try {
        const verdict = judgeByPolicies(request, around);
        warnings.push(...verdict.warnings);
        const [first] = verdict.refusals;
        if (first === undefined) continue;
        const what = resourceText(object.apiVersion, request.kind.kind as KeptKind);
        const message = `${what} ${quoteGo(object.name)} is forbidden: ${first.message}`;
        return { warnings: [], refusal: { code: first.status, by: POLICIES, message }, doubts: [] };
      } catch (error) {
        if (!(error instanceof CelUnsupported)) throw error;
        doubt(name, `depends on something that is not known or not evaluated: ${error.what}`);
      }
    }
    return { warnings, doubts };
  }

  /**
   * Whether all that a policy reads is known: of an object that stays as it is, of a new Deployment, of one of which all that is stored is known, and of
   * one that was read from the API server and perhaps changed, unless the policy reads what is stored.
   */
  private isKnownTo(policy: ValidatingAdmissionPolicy, request: PolicyRequest, object: ManifestObject): boolean {
    const { operation, oldObject } = request;
    if (isUnchangedIn(request)) return true;
    if (object.kind !== 'Deployment') return false;
    if (operation === 'CREATE' || (oldObject !== null && isWhole(oldObject))) return true;
    return isOf(object.value, oldObject) && !JSON.stringify(policy.spec).includes('oldObject');
  }

  /** Undefined for kinds of which the API server's resource is not known. */
  private policyRequest(manifest: ManifestObject): PolicyRequest | undefined {
    const { apiVersion, kind, namespace = '', name, value } = manifest;
    const info = kindOf(apiVersion, kind);
    if (info === undefined) return undefined;
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const metadata = { ...(value['metadata'] as JsonObject | undefined), ...(namespace !== '' && { namespace }) };
    const sent: JsonObject = { ...value, metadata };
    const update = this.knownUpdate(manifest);
    const after = (update?.merged as unknown as JsonObject | undefined) ?? sent;
    const status = update === undefined ? {} : defined({ status: after['status'] });
    const stored = this.before.find(info.kind, namespace === '' ? undefined : namespace, name);
    return {
      operation: stored === undefined ? 'CREATE' : 'UPDATE',
      kind: { group, version, kind },
      resource: { group, version, resource: info.plural },
      subresource: '',
      name,
      namespace,
      object: kind === 'Deployment' && !isNoUpdate(update) ? { ...deploymentObject(after), ...status } : after,
      oldObject: stored === undefined ? null : (stored as unknown as JsonObject),
      user: undefined,
      isDryRun: false,
      unknownFields: (isNoUpdate(update) ? ['managedFields'] : WRITTEN).map((field) => ['metadata', field]),
    };
  }
}

/** `deployments.apps`, as `GroupResource.String` of k8s.io/apimachinery v0.36.2 has it. */
function resourceText(apiVersion: string, kind: KeptKind): string {
  const [, group = ''] = apiVersion.split('/').reverse();
  return `${kindInfo(kind).plural}${group === '' ? '' : `.${group}`}`;
}

const ALWAYS_DENY = 'AlwaysDeny';

/** A pod that every standard but `privileged` forbids. */
const PRIVILEGED: ExistingPod = {
  metadata: { name: 'any' },
  spec: { containers: [{ name: 'any', securityContext: { privileged: true } }] },
};

const WARNS_OF_PODS =
  'PodSecurity warns of existing pods that violate the new level to enforce; which do is not known, since not every field that it restricts is stored';

/** An update of an object; the same object twice if it changes nothing. */
interface KnownUpdate {
  readonly stored: KubernetesObject;
  readonly merged: KubernetesObject;
}

const isNoUpdate = (update: KnownUpdate | undefined): boolean =>
  update !== undefined && update.stored === update.merged;

/** Whether all of a request is known, because the stored object stays as it is. */
const isUnchangedIn = ({ object, oldObject }: PolicyRequest): boolean => object === oldObject;

/** What the API server writes. */
const WRITTEN = ['uid', 'creationTimestamp', 'generation', 'managedFields'];

/** Whether a manifest was read from the API server as a version of a stored object: it has the object's uid, and therefore all fields. */
const isOf = (value: JsonObject, stored: JsonObject | null): boolean => {
  const uidOf = (object: JsonObject | null): unknown => (object?.['metadata'] as JsonObject | undefined)?.['uid'];
  return uidOf(value) !== undefined && uidOf(value) === uidOf(stored);
};

const NO_PARAMS = { list: () => undefined, unknownFields: [] };

const ofNamespaceReview = (review: ReturnType<typeof reviewNewNamespace>): ObjectReview =>
  review.outcome === 'allowed'
    ? { warnings: review.warnings, doubts: [] }
    : { warnings: [], refusal: { code: 422, by: POD_SECURITY, message: review.message }, doubts: [] };
