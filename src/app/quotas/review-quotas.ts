import type { quotaReview } from '../../contract/quotas/quota-review.js';
import type { reviewQuotas } from '../../contract/quotas/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { AdmissionConfiguration } from '../../core/admission/admission-configuration.js';
import { admitPod, type Refusal } from '../../core/admission/admission-chain.js';
import { admissionIn } from '../../core/admission/admission-in.js';
import { admissionConfigurationIn } from '../../core/admission/surroundings-in.js';
import type { UndecidedPlugin } from '../../core/admission/undecided-plugins.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { manifestServerOf, type ManifestServer } from '../../core/kubernetes/cluster-version.js';
import { compare } from '../../core/json/compare.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import type { Workload } from '../../core/kubernetes/objects/workloads.js';
import { PodCharges } from '../../core/quota/pod-charge.js';
import { reviewObject } from '../../core/quota-review/object-charges.js';
import type { QuotaRaise, QuotaRoom } from '../../core/quota-review/quota-room.js';
import { quotaRooms, withCharges } from '../../core/quota-review/quota-room.js';
import { reviewReplicas } from '../../core/quota-review/review-replicas.js';
import { stepLivePods, wantedPods } from '../../core/quota-review/workload-replicas.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { podOfWorkload } from '../admission/read-whole-pod.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { recounted, stored } from './namespace-quotas.js';
import { checkQuestion, type QuotaReviewQuestion } from './quota-review-request.js';
import { renderReview } from './quota-review-response.js';
import { reviewSubject } from './review-subject.js';

const BUDGET_MS = 60_000;

type QuotaReviewRequest = Omit<RequestOf<typeof reviewQuotas>, 'items'> & {
  /** Reviewed in order, with the charges of earlier items. `read` parses an item, or throws its errors. */
  readonly items: readonly {
    readonly id: string;
    readonly read: (server: ManifestServer) => QuotaReviewQuestion | Promise<QuotaReviewQuestion>;
  }[];
};

type QuotaReviewItem =
  | { readonly id: string; readonly review: Response<typeof quotaReview>; readonly error: null }
  | { readonly id: string; readonly review: null; readonly error: ServiceError };

type QuotaReviewResponse = Pick<AnswerTo<typeof reviewQuotas>, 'basis'> & {
  readonly items: readonly QuotaReviewItem[];
};

/** The result of one item, before it is rendered. */
export interface Reviewed {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Number of pods to create; negative if pods are removed. */
  readonly wanted: number;
  readonly admitted: number;
  /** Undefined if no quota limits them. */
  readonly fits: number | undefined;
  readonly refusal: Refusal | undefined;
  readonly rooms: readonly QuotaRoom[];
  readonly raises: readonly QuotaRaise[];
  readonly undecided: readonly UndecidedPlugin[];
  readonly before: readonly ResourceQuota[];
  readonly after: readonly ResourceQuota[];
  readonly notes: readonly string[];
}

/**
 * Checks whether pods, replicas or changes of replica counts would be admitted, one after another. Nothing is stored.
 */
export class ReviewQuotas {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.run`; `cancelled`, `budget-exceeded` */
  async run(
    { cluster, readAt, usage = 'reported', items }: QuotaReviewRequest,
    context: RequestContext,
  ): Promise<QuotaReviewResponse> {
    const { state, basis } = await this.readState.run(cluster, readAt, context);
    const now = context.now.getTime();
    const usages = await this.digests.quotaUsages(state, now);
    const pods = await this.digests.namespacePods(state);
    const server = manifestServerOf(state.rules, basis);
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const quotas = new Map<string, readonly ResourceQuota[]>();
    const standing: Standing = {
      state,
      now,
      slices,
      configuration: admissionConfigurationIn(state),
      podsOf: (namespace) => pods.get(namespace) ?? [],
      quotasOf(namespace) {
        const known = quotas.get(namespace);
        if (known !== undefined) return known;
        return usage === 'counted' ? recounted(usages, namespace) : stored(state, usages, namespace);
      },
    };
    const answers: QuotaReviewItem[] = [];
    for (const [index, { id, read }] of items.entries()) {
      if (slices.due()) await slices.pause();
      try {
        const question = await read(server);
        checkQuestion(question);
        const reviewed = await review(question, standing);
        quotas.set(reviewed.namespace, reviewed.after);
        answers.push({ id, review: renderReview(reviewed), error: null });
      } catch (thrown) {
        const error = serviceErrorOf(thrown);
        if (error.code === 'cancelled' || error.code === 'budget-exceeded') throw error;
        answers.push({ id, review: null, error: inItem(error, `/items/${index}`) });
      }
    }
    return { basis, items: answers };
  }
}

/** The data that an item is reviewed against. */
interface Standing {
  readonly state: ClusterState;
  readonly now: number;
  readonly slices: TimeSlices;
  readonly configuration: AdmissionConfiguration;
  /** Indexes into `state.pods`. */
  readonly podsOf: (namespace: string) => readonly number[];
  /** Including the charges of earlier items. */
  readonly quotasOf: (namespace: string) => readonly ResourceQuota[];
}

const NOTHING = { admitted: 0, fits: 0, rooms: [], raises: [], undecided: [], notes: [] } as const;

async function review(question: QuotaReviewQuestion, standing: Standing): Promise<Reviewed> {
  return question.workloadRef === undefined
    ? reviewManifest(question, standing)
    : reviewScale(question.workloadRef, question.replicas ?? 0, standing);
}

function reviewManifest({ pod: given = {}, namespace, replicas }: QuotaReviewQuestion, standing: Standing): Reviewed {
  const { state, quotasOf } = standing;
  const subject = reviewSubject(given, namespace, gatesOf(state.rules));
  const { workload, pod, refusal } = subject;
  const head = { kind: subject.kind, namespace: subject.namespace, name: subject.name };
  const before = quotasOf(subject.namespace);
  if (pod === undefined) return { ...head, ...NOTHING, wanted: replicas ?? 1, refusal, before, after: before };
  const defaults = workload === undefined ? { count: 1 } : wantedPods(workload, state, gatesOf(state.rules));
  const wanted = replicas ?? defaults.count;
  const notes = defaults.note === undefined || replicas !== undefined ? [] : [defaults.note];
  const objects = workload === undefined ? [] : objectsOf(workload);
  let among = before;
  for (const { kind, name } of quotasAreOn(standing) ? objects : []) {
    const reviewed = reviewObject(among, kind, name);
    if (reviewed.outcome === 'refused') {
      // A stored workload whose ReplicaSet does not exist creates no pods either.
      return {
        ...head,
        ...NOTHING,
        wanted,
        refusal: reviewed.refusal,
        raises: reviewed.raises,
        before,
        after: among,
        notes,
      };
    }
    among = reviewed.quotas;
  }
  if (workload?.kind === 'StatefulSet' && (workload.spec?.volumeClaimTemplates ?? []).length > 0) notes.push(CLAIMS);
  const admission = admitPod(
    { operation: 'create', pod, without: QUOTAS, ...(workload && { controller: workload.kind }) },
    admissionIn(state, subject.namespace),
  );
  const { undecided } = admission;
  if (admission.outcome === 'refused') {
    const { refusal: admissionRefusal } = admission;
    return {
      ...head,
      ...NOTHING,
      wanted,
      refusal: wanted > 0 ? admissionRefusal : undefined,
      undecided,
      before,
      after: among,
      notes,
    };
  }
  const start = workload?.kind === 'StatefulSet' ? (workload.spec?.ordinals?.start ?? 0) : undefined;
  const made = charged(admission.pod, among, wanted, standing, ordinalNames(start, subject.name));
  return { ...head, ...made, wanted, undecided, before, notes: [...notes, ...made.notes] };
}

async function reviewScale(
  { kind, namespace = 'default', name }: NonNullable<QuotaReviewQuestion['workloadRef']>,
  replicas: number,
  standing: Standing,
): Promise<Reviewed> {
  const { state, slices, podsOf, quotasOf } = standing;
  const workload = state.find(kind as Workload['kind'], namespace, name) as Workload | undefined;
  if (workload === undefined) {
    throw new ServiceError('object-not-found', `${kind} ${namespace}/${name} does not exist in this revision.`);
  }
  const head = { kind, namespace, name };
  const before = quotasOf(namespace);
  const live = await runSteps(stepLivePods(state, head, podsOf(namespace)), slices);
  const wanted = replicas - live.length;
  const notes = [
    `${live.length} ${live.length === 1 ? 'pod has' : 'pods have'} not ended and ${live.length === 1 ? 'is' : 'are'} not being deleted`,
  ];
  if (wanted <= 0) return freed(head, wanted, live, before, notes, standing);
  if (kind === 'Deployment')
    notes.push('new pods are assumed to use the currently stored template, although a rollout may be in progress');
  if (workload.kind === 'StatefulSet' && (workload.spec?.volumeClaimTemplates ?? []).length > 0) notes.push(CLAIMS);
  const sent = podOfWorkload(workload).pod as unknown as Pod;
  const pod = { ...sent, metadata: { ...sent.metadata, namespace } };
  const admission = admitPod(
    { operation: 'create', pod, known: 'kept', without: QUOTAS },
    admissionIn(state, namespace),
  );
  const { undecided } = admission;
  if (admission.outcome === 'refused') {
    return { ...head, ...NOTHING, wanted, refusal: admission.refusal, undecided, before, after: before, notes };
  }
  const start = workload.kind === 'StatefulSet' ? (workload.spec?.ordinals?.start ?? 0) : undefined;
  const from = start === undefined ? undefined : start + live.length;
  const made = charged(admission.pod, before, wanted, standing, ordinalNames(from, name));
  return { ...head, ...made, wanted, undecided, before, notes: [...notes, ...made.notes] };
}

/** Charges new pods that the other admission plugins accept. */
function charged(
  pod: Pod,
  quotas: readonly ResourceQuota[],
  wanted: number,
  { configuration, now, state }: Standing,
  nameOf: ((index: number) => string) | undefined,
): Pick<Reviewed, 'admitted' | 'fits' | 'refusal' | 'rooms' | 'raises' | 'after' | 'notes'> {
  if (!quotasAreOn({ configuration })) {
    const notes = ['the admission plugin ResourceQuota is disabled in this cluster: quotas are not enforced'];
    return { admitted: wanted, fits: undefined, refusal: undefined, rooms: [], raises: [], after: quotas, notes };
  }
  const { limitedResources } = configuration;
  const unseen = quotas.filter(({ status }) => status?.hard === undefined).map(({ metadata }) => metadata.name);
  const notes = unseen.map(
    (name) => `${name} has no status, so it is not enforced until the controller has processed it`,
  );
  const question = {
    quotas,
    pod,
    wanted,
    now,
    rules: state.rules,
    ...(nameOf && { nameOf }),
    ...(limitedResources && { limited: limitedResources }),
  };
  const { quotas: after, ...found } = reviewReplicas(question);
  return { ...found, after, notes };
}

/**
 * Removes pods. Their charges are released only if all of them are equal, since the controller chooses which pods to
 * remove.
 */
function freed(
  head: Pick<Reviewed, 'kind' | 'namespace' | 'name'>,
  wanted: number,
  live: readonly number[],
  before: readonly ResourceQuota[],
  notes: string[],
  { state, now }: Standing,
): Reviewed {
  const nothing = { ...head, ...NOTHING, fits: undefined, wanted, refusal: undefined, before, after: before };
  if (wanted === 0) return { ...nothing, notes };
  const charges = new PodCharges(state);
  const kinds = new Set(live.map((pod) => charges.of(pod)));
  const usages = new Set(
    [...kinds].map(({ facts, usage }) =>
      JSON.stringify([
        facts,
        [...usage].map(([name, amount]) => [name, amount.toString()]).sort(([a = ''], [b = '']) => compare(a, b)),
      ]),
    ),
  );
  if (usages.size > 1) {
    notes.push(
      'its pods have different charges, and it is unknown which of them are removed: later items do not count on any released quota',
    );
    return { ...nothing, notes };
  }
  const rooms = quotaRooms(before, state.pods.pod(live[0]!), { now, rules: state.rules });
  const after = withCharges(before, rooms, wanted);
  notes.push('the charges are released when the pods are gone and the controller has recounted');
  return { ...nothing, admitted: wanted, rooms, after, notes };
}

const CLAIMS = 'the PersistentVolumeClaims that it creates are not reviewed';

/** A workload, and the objects that its controller creates before any pod. */
function objectsOf({
  kind,
  metadata: { name },
}: Workload): readonly { readonly kind: string; readonly name: string }[] {
  if (kind === 'Deployment')
    return [
      { kind, name },
      { kind: 'ReplicaSet', name: `${name}-${'x'.repeat(10)}` },
    ];
  if (kind === 'CronJob')
    return [
      { kind, name },
      { kind: 'Job', name: `${name}-${'x'.repeat(8)}` },
    ];
  return [{ kind, name }];
}

const ordinalNames = (start: number | undefined, name: string): ((index: number) => string) | undefined =>
  start === undefined ? undefined : (index) => `${name}-${start + index}`;

const quotasAreOn = ({ configuration }: Pick<Standing, 'configuration'>): boolean =>
  configuration.plugins.includes('ResourceQuota');

/** Charged one pod after another, after the other plugins. */
const QUOTAS = ['ResourceQuota'] as const;

/** Prefixes the pointers of an error with the place of its item in the request. */
function inItem(error: ServiceError, pointer: string): ServiceError {
  const details = error.details.map((detail) =>
    detail.pointer === undefined ? detail : { ...detail, pointer: pointer + detail.pointer },
  );
  if (error instanceof InvalidRequestError) return new InvalidRequestError(details);
  return new ServiceError(error.code, error.message, { details, cause: error.cause });
}
