import { byQueue, decisionAbout } from '../../../src/core/agreement/decision.js';
import { stepRevision, type JudgedDecision } from '../../../src/core/agreement/judge-revision.js';
import { judgeAdmission, refusedPod } from '../../../src/core/agreement/judge-admission.js';
import { AGREEMENT_RULES, type AgreementRule, type Judgement } from '../../../src/core/agreement/judgement.js';
import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { Setting } from '../../../src/core/cluster/setting.js';
import { finish } from '../../../src/core/collections/finish.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import type { KeptKind } from '../../../src/core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { ReplicaSet } from '../../../src/core/kubernetes/objects/workloads.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';

/** What a watch said, in the order of resourceVersions. */
export interface CourseEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Events with the same number came about the same time. */
  readonly batch: number;
}

/** What happened in a cluster: what there was, and each change. */
export interface Course {
  readonly name: string;
  readonly initial: readonly JsonObject[];
  readonly events: readonly CourseEvent[];
  readonly loadedKinds: readonly KeptKind[];
}

export type Counts = Record<AgreementRule, { agreed: number; disagreed: number; unknown: number }>;

export interface CourseAgreement {
  readonly decisions: number;
  readonly counts: Counts;
  readonly notAgreed: readonly JudgedDecision[];
  /** Refusals of pods by admission that do not agree. */
  readonly refusals: readonly Judgement[];
}

/** So many states before a decision may explain it, and so many events after it. */
const EARLIER = 8;
const AHEAD = 60;

/**
 * Judges every decision of a course.
 *
 * @param step `event`: each on the state just before, as the watch shows it; `batch`: as a revision shows it, with all that came about
 *   the same time
 * @param settings of the cluster, such as the configuration of its scheduler
 */
export function judgeCourse(
  course: Course,
  step: 'event' | 'batch',
  settings: readonly Setting[] = [],
): CourseAgreement {
  const counts = Object.fromEntries(
    AGREEMENT_RULES.map((rule) => [rule, { agreed: 0, disagreed: 0, unknown: 0 }]),
  ) as Counts;
  const notAgreed: JudgedDecision[] = [];
  const refusals: Judgement[] = [];
  let decisions = 0;
  let state = ClusterState.build([...course.initial.flatMap(decoded), ...settings], course.loadedKinds);
  let earlier: readonly ClusterState[] = [];
  const revisions = step === 'event' ? course.events.map((event) => [event]) : batches(course.events);
  for (const [index, events] of revisions.entries()) {
    const { upserts, deletes } = changesOf(events);
    const now = events.at(-1)!.at;
    let later: readonly Pod[] = [];
    const ahead = revisions.slice(index + 1, index + 1 + (step === 'event' ? AHEAD : 1)).flat();
    const found = finish(stepRevision({ before: state, upserts, deletes, now, earlier }));
    let judged = found;
    if (found.decisions.some(({ judgements }) => judgements.some(({ outcome }) => outcome !== 'agreed'))) {
      const bound = state.apply({ upserts, deletes });
      later = changesOf(ahead)
        .upserts.filter(
          (object): object is Pod => object.kind === 'Pod' && decisionAbout(bound, object as Pod)?.what === 'bound',
        )
        .sort(byQueue);
      judged = finish(stepRevision({ before: state, upserts, deletes, now, earlier, later }));
    }
    for (const one of judged.decisions) {
      decisions++;
      for (const { rule, outcome } of one.judgements) counts[rule][outcome]++;
      if (one.judgements.some(({ outcome }) => outcome !== 'agreed')) notAgreed.push(one);
    }
    const after = state.apply({ upserts, deletes });
    for (const object of upserts) {
      const refused = object.kind === 'ReplicaSet' ? refusedPod(state, object as ReplicaSet) : undefined;
      if (refused === undefined) continue;
      decisions++;
      const judgement = judgeAdmission([state, after], refused);
      counts.admission[judgement.outcome]++;
      if (judgement.outcome !== 'agreed') refusals.push(judgement);
    }
    earlier = [...judged.states.slice(1), ...earlier].slice(0, EARLIER);
    state = after;
  }
  return { decisions, counts, notAgreed, refusals };
}

function batches(events: readonly CourseEvent[]): CourseEvent[][] {
  const found: CourseEvent[][] = [];
  for (const event of events) {
    if (found.at(-1)?.[0]?.batch === event.batch) found.at(-1)!.push(event);
    else found.push([event]);
  }
  return found;
}

/** The last of each object. */
function changesOf(events: readonly CourseEvent[]): {
  readonly upserts: readonly KubernetesObject[];
  readonly deletes: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[];
} {
  const last = new Map<string, { readonly type: string; readonly object: KubernetesObject }>();
  for (const { type, object } of events) {
    for (const one of decoded(object)) {
      last.set(`${one.kind} ${one.metadata.namespace ?? ''}/${one.metadata.name}`, { type, object: one });
    }
  }
  const all = [...last.values()];
  return {
    upserts: all.filter(({ type }) => type !== 'DELETED').map(({ object }) => object),
    deletes: all
      .filter(({ type }) => type === 'DELETED')
      .map(({ object: { kind, metadata } }) => ({
        kind,
        name: metadata.name,
        ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      })),
  };
}

function decoded(object: JsonObject): KubernetesObject[] {
  const found = decodeObject(object);
  return found.outcome === 'object' ? [found.object] : [];
}
