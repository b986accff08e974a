import type { BudgetBreach } from '../../core/eviction-schedule/budget-breaches.js';
import type { KnownMoment } from '../../core/eviction/known-moment.js';
import type { PodAction } from '../../core/eviction-schedule/pod-action.js';
import type { BaseKnown } from '../../core/eviction-schedule/fold-pod.js';
import type { ActionCounts } from '../../core/eviction-schedule/schedule-summary.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import type { Listed } from '../../core/collections/first-few.js';
import type { Page } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import { FIRST_TIME, LAST_TIME } from '../time-bounds.js';
import type { LandingsView } from './landing-view.js';

/** A moment, as far as it is known; both the same where it is known exactly. */
export interface MomentView {
  /** null where nothing is known of before. */
  readonly earliest: string | null;
  readonly latest: string;
}

/** A NoExecute taint of the pod's node, and what the pod makes of it. */
export interface ScheduledTaintView {
  readonly taint: string;
  /** The toleration that is used: `spec.tolerations[0]`; null where none matches. */
  readonly toleration: string | null;
  /** null for ever, or where nothing tolerates it. */
  readonly seconds: Int64 | null;
  readonly decides: boolean;
  /** What the node says of when it was added, and whether that counts. */
  readonly timeAdded: string | null;
  readonly timeAddedNote: string | null;
}

export interface DepartureView {
  readonly marked: MomentView;
  readonly gracePeriodSeconds: number;
  /** null where nobody ends it. */
  readonly gone: MomentView | null;
  readonly by: 'kubelet' | 'apiServer' | 'podGarbageCollector' | null;
  readonly note: string | null;
}

export interface ScheduledPodView {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly workload: Workload;
  readonly action: PodAction;
  /** When it is marked for deletion; null where it never is. */
  readonly at: MomentView | null;
  readonly because: string;
  /** What the time counts from, and how that is known; null where nothing was decided. */
  readonly base: (MomentView & { readonly known: BaseKnown; readonly text: string }) | null;
  readonly taints: readonly ScheduledTaintView[];
  readonly overdue: boolean;
  readonly cancelled: { readonly at: MomentView; readonly why: string } | null;
  readonly mayHaveLeftSince: string | null;
  readonly departure: DepartureView | null;
  /** Taints of which each alone, taken off, would keep it; else those that have to go together. */
  readonly keptWithout: { readonly anyOf: readonly string[]; readonly allOf: readonly string[] } | null;
  /** `tolerationSeconds` from which on it would have outlasted what brought the taints; null where they do not go. */
  readonly secondsToOutlast: number | null;
  /** The kind of disruption, and the reason that it leaves on the pod. */
  readonly disruption: { readonly kind: string; readonly reason: string } | null;
  /** What does not protect it, and what else is particular. */
  readonly notes: readonly string[];
}

export interface NodeScheduleView extends Readonly<Record<PodAction, number>> {
  readonly node: string;
  readonly first: MomentView;
  readonly last: MomentView;
}

export interface WorkloadScheduleView {
  readonly workload: Workload;
  readonly replicas: number;
  readonly now: number;
  readonly at: number;
  readonly firstLoss: MomentView;
  readonly lastReplica: MomentView | null;
}

export interface BudgetBreachView extends Omit<BudgetBreach, 'brokenAt'> {
  readonly brokenAt: MomentView | null;
}

/** A change of a node's taints that the answer rests on. */
export interface NodeChangeView {
  /** When it is taken to be made. */
  readonly at: string;
  /** As far as that is known. */
  readonly moment: MomentView;
  readonly node: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly why: string;
}

export interface ZoneView {
  readonly zone: string;
  readonly nodes: number;
  readonly failing: number;
  readonly states: readonly {
    readonly at: string;
    readonly state: string;
    readonly readyNodes: number;
    readonly notReadyNodes: number;
    readonly ratePerSecond: number;
  }[];
}

/** What a failure of nodes comes to. */
export interface OutageView {
  readonly zones: readonly ZoneView[];
  /** Nodes that wait for their NoExecute taint at the end of the horizon. */
  readonly waiting: number;
  /** `perhaps`: it depends on when within what is known of it a taint comes or goes. */
  readonly evicts: 'yes' | 'perhaps' | 'no';
  /** Seconds from its beginning before which no pod leaves; null where none leaves. */
  readonly firstEvictionAfterSeconds: number | null;
}

export interface ScheduleView {
  readonly basis: Basis;
  readonly asOf: string;
  readonly horizon: string;
  readonly counts: ActionCounts;
  readonly moments: Listed<{ readonly at: MomentView; readonly pods: number }>;
  readonly minutes: Listed<{ readonly minute: string; readonly pods: number }>;
  readonly nodes: Listed<NodeScheduleView>;
  readonly workloads: Listed<WorkloadScheduleView>;
  readonly budgets: Listed<BudgetBreachView>;
  readonly changes: Listed<NodeChangeView>;
  readonly outage: OutageView | null;
  readonly controllerStart: { readonly at: string; readonly known: string } | null;
  readonly assumptions: readonly string[];
  readonly landing: LandingsView | null;
  readonly pods: Page<ScheduledPodView>;
}

/**
 * RFC 3339; without a fraction where the moment is a whole second. What lies beyond its years is said as the first or the last of
 * their seconds: a toleration of 292 years and a grace period of more are allowed.
 */
export function timeText(at: number): string {
  return new Date(Math.max(FIRST_TIME, Math.min(LAST_TIME, Math.round(at)))).toISOString().replace('.000Z', 'Z');
}

export function momentView({ earliest, latest }: KnownMoment): MomentView {
  return { earliest: earliest === -Infinity ? null : timeText(earliest), latest: timeText(latest) };
}

const KNOWN_TEXTS: Readonly<Record<BaseKnown, string>> = {
  auditEvent: "the API server's audit log has the write of the taints",
  recordedChange:
    'the taints were set through this service; when the cluster took them over is known as far as it was seen',
  timeAdded: 'the node controller wrote the time with its taint, and no snapshot contradicts it',
  snapshots: 'a snapshot shows the node without the taint, and the next one with it',
  firstSeen: 'the taint stood when the node was first seen, so its age is not known',
  question: 'the question itself says when',
  nodeLifecycle: 'the node lifecycle controller would set the taint then',
  binding: 'the pod was bound to the node after the taint was there',
  tolerations: "the pod's tolerations were changed then",
  controllerStart: 'the controller was started then, with no timer in its memory',
};

export const knownText = (known: BaseKnown): string => KNOWN_TEXTS[known];
