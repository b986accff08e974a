import type { scheduleEvictions } from '../../contract/evictions/questions.js';
import { AlikePods } from '../../core/collections/alike-pods.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepBudgetMatches } from '../../core/disruption/budget-matches.js';
import { stepBudgetBreaches } from '../../core/eviction-schedule/budget-breaches.js';
import { stepOrderedRows, type RowFilter } from '../../core/eviction-schedule/ordered-rows.js';
import { type ScheduleSummary, stepScheduleSummary } from '../../core/eviction-schedule/schedule-summary.js';
import { type Schedule, stepSchedule } from '../../core/eviction-schedule/step-schedule.js';
import { without } from '../../core/scenario/without.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { groupedPages, listInView } from '../paging/grouped-pages.js';
import { readPageToken, type ListIdentity } from '../paging/page-token.js';
import { holdsFrom } from '../../storage/revision.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { mapInSlices } from '../states/map-in-slices.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { EvictionMemory } from './eviction-memory.js';
import { changesView, outageView } from './node-changes-view.js';
import { type FollowedOutages, followOutages } from './follow-outages.js';
import { landingsView } from './landing-view.js';
import { planLandings } from './plan-landings.js';
import { Reaches } from './reaches.js';
import { placeIn, readQuestion, type ReadQuestion } from './read-question.js';
import { scheduleQuestion } from './schedule-inputs.js';
import { type ListedPodsFilter, type ScheduleRequest, scheduleRequestOf } from './schedule-request.js';
import { SCHEDULED_ALIKE, scheduledGroupView } from './schedule-groups.js';
import { momentView, type ScheduleView, timeText } from './schedule-view.js';
import { type PodTelling, scheduledPod } from './scheduled-pod.js';
import { scheduleCsv } from './schedule-csv.js';

/** Of each list of an answer so many are told; all are counted. */
const MOST_LISTED = 1_000;
const MOST_MINUTES = 10_000;
const BUDGET_MS = 60_000;

/** Who leaves by NoExecute taints, when, why, and where to. */
export class ScheduleEvictions {
  constructor(
    private readonly readState: ReadState,
    private readonly memory: EvictionMemory,
  ) {}

  /** @throws {InvalidRequestError} naming everything that is wrong; {ServiceError} `budget-exceeded`, `cancelled` */
  async run(given: RequestOf<typeof scheduleEvictions>, edge: RequestContext): Promise<ScheduleView> {
    const request = scheduleRequestOf(given);
    const worked = await this.work(request, edge);
    const { basis, question, slices, asked, schedule, outage, telling } = worked;
    const { state, asOf } = question;
    const summary = await runSteps(
      stepScheduleSummary(state, schedule, { asOf, mostListed: MOST_LISTED, mostMinutes: MOST_MINUTES }),
      slices,
    );
    const breaches = await runSteps(stepBudgetBreaches(state, schedule, telling.budgets, asOf), slices);
    const { reachOf } = telling;
    const landing = request.landing
      ? await planLandings({ state, schedule, asOf, changes: asked.changes, reachOf }, slices)
      : null;
    return {
      basis,
      asOf: timeText(asOf),
      horizon: timeText(question.horizon),
      ...(await summaryView(state, summary, slices)),
      budgets: await listed(
        { total: breaches.length, items: breaches.slice(0, MOST_LISTED) },
        slices,
        ({ brokenAt, ...breach }) => ({ ...breach, brokenAt: brokenAt === null ? null : momentView(brokenAt) }),
      ),
      changes: await changesView(question, asked.changes, slices),
      outage: outage === undefined ? null : outageView(question, schedule, outage),
      controllerStart:
        question.controllerStart === undefined
          ? null
          : { at: timeText(question.controllerStart.at), known: question.controllerStart.known },
      assumptions: assumptionsOf(question),
      landing: landing === null ? null : await landingsView(state, landing, slices),
      pages: pagesOf(request, worked),
    };
  }

  /**
   * Every pod that is asked for as a line of CSV, in pieces; the page of the request counts for nothing.
   * @throws {ServiceError} as `run`; `forbidden` to whom values of taints are withheld
   */
  async export(
    given: RequestOf<typeof scheduleEvictions>,
    edge: RequestContext,
  ): Promise<AsyncGenerator<string, void, undefined>> {
    const { cluster } = given;
    if (!edge.access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `The values of taints of cluster ${JSON.stringify(cluster)} are withheld from you; ask for JSON instead.`,
      );
    }
    const { schedule, rows, telling } = await this.work(scheduleRequestOf(given), edge);
    const pod = (row: number) => scheduledPod(telling, schedule.pods[row]!, schedule.outcomes[row]!);
    // However slowly it is read.
    return scheduleCsv(rows, pod, new TimeSlices({ signal: edge.signal }));
  }

  private async work(request: ScheduleRequest, edge: RequestContext): Promise<Worked> {
    const { cluster } = request;
    const readAt = this.readAtOf(request);
    const stored = await this.readState.run(cluster, without(readAt, 'scenario'), edge);
    const reading = readAt.scenario === undefined ? stored : await this.readState.run(cluster, readAt, edge);
    const { revision } = stored;
    const seenAt = revision.capturedAt.getTime();
    const madeAt = holdsFrom(revision).getTime();
    const states = { state: reading.state, stored: stored.state };
    const question = readQuestion(request, { ...states, seenAt, madeAt, now: edge.now });
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: edge.signal });
    const intents = readAt.intents ?? 'include';
    const past = await this.memory.of(revision, stored.state, storedNodes(question), { intents, signal: edge.signal });
    const outage = await followOutages(question, slices);
    const asked = scheduleQuestion({ ...question, past, failures: outage?.changes ?? [] });
    const { state, asOf, outages } = question;
    const schedule = await runSteps(stepSchedule(asked.question), slices);
    const rows = await runSteps(stepOrderedRows(state, schedule, asOf, rowFilter(question, request.pods)), slices);
    const reaches = new Reaches(question, asked.changes);
    const telling: PodTelling = {
      state,
      asOf,
      budgets: await runSteps(stepBudgetMatches(state), slices),
      reachOf: (node, at) => reaches.at(node, at),
      taintsGoAt: (node, after) => (outages.length === 0 ? undefined : reaches.taintsGoAt(node, after)),
    };
    return { basis: reading.basis, question, slices, asked, schedule, outage, rows, telling };
  }

  /** A page that follows another rests on the same revision as that one. */
  private readAtOf(request: ScheduleRequest): ReadAt {
    const { readAt, page, asOf, root } = request;
    if (page.after === undefined) return readAt;
    if (asOf === undefined) {
      const message = 'give the asOf of the page before, so that this page is one of the same schedule';
      const place = placeIn(root, 'asOf');
      throw new InvalidRequestError([faultAt(place, 'required', message)]);
    }
    const { revision } = readPageToken(identityOf(request, asOf), page.after, page.afterName);
    return revision === undefined ? readAt : { ...without(readAt, 'revision', 'at'), revision };
  }
}

/** What a schedule is told from. */
interface Worked {
  readonly basis: Basis;
  readonly question: ReadQuestion;
  readonly slices: TimeSlices;
  readonly asked: ReturnType<typeof scheduleQuestion>;
  readonly schedule: Schedule;
  readonly outage: FollowedOutages | undefined;
  /** Rows of the schedule that are asked for, in order. */
  readonly rows: Int32Array;
  readonly telling: PodTelling;
}

function pagesOf(
  request: ScheduleRequest,
  { basis, question, slices, schedule, rows, telling }: Worked,
): ScheduleView['pages'] {
  const shown = (row: number) => scheduledPod(telling, schedule.pods[row]!, schedule.outcomes[row]!);
  const alike = new AlikePods(SCHEDULED_ALIKE);
  return groupedPages({
    // The page after this one is asked for with the asOf of this answer, whether this one was asked for with it or not.
    list: identityOf(request, new Date(question.asOf)),
    view: 'pods',
    revision: basis.revision,
    items: [...rows],
    renderItem: shown,
    groups: async () => {
      for (const row of rows) {
        if (slices.due()) await slices.pause();
        alike.add(shown(row));
      }
      return alike.groups();
    },
    renderGroup: (group) => scheduledGroupView(alike.byWorkload(group)),
    slices,
  });
}

async function summaryView(
  { nodes }: ClusterState,
  summary: ScheduleSummary,
  slices: TimeSlices,
): Promise<Pick<ScheduleView, 'counts' | 'moments' | 'minutes' | 'nodes' | 'workloads'>> {
  return {
    counts: summary.counts,
    moments: await listed(summary.moments, slices, ({ at, pods }) => ({ at: momentView(at), pods })),
    minutes: await listed(summary.minutes, slices, ({ minute, pods }) => ({ minute: timeText(minute), pods })),
    nodes: await listed(summary.nodes, slices, ({ node, first, last, ...counts }) => ({
      node: nodes.name(node),
      ...counts,
      first: momentView(first!),
      last: momentView(last!),
    })),
    workloads: await listed(summary.workloads, slices, ({ firstLoss, lastReplica, ...counts }) => ({
      ...counts,
      firstLoss: momentView(firstLoss),
      lastReplica: lastReplica === null ? null : momentView(lastReplica),
    })),
  };
}

function assumptionsOf({ state, outages, controllerStart, warnings }: ReadQuestion): readonly string[] {
  return [
    'The taint eviction controller runs, and sees a change at the moment at which it is made; really some milliseconds later.',
    ...(controllerStart === undefined
      ? [
          'When the controller manager was started last is not known: its lease (kube-system/kube-controller-manager) is not stored. Timers start anew with it.',
        ]
      : []),
    ...(outages.length === 0
      ? ['The node lifecycle controller adds and removes nothing: ask with outages for what it does when nodes fail.']
      : [
          "The node lifecycle controller's passes come from asOf on; really at an unknown phase of its period. Which node of a zone has its turn first is chance.",
          'Nodes outside the outages keep answering.',
          'Failures are followed to the horizon: what begins or ends after it counts for nothing.',
        ]),
    ...(state.loadedKinds.has('PodDisruptionBudget') ? [] : ['No PodDisruptionBudget was ever loaded.']),
    ...(state.loadedKinds.has('Pod') ? [] : ['No Pod was ever loaded.']),
    ...warnings,
  ];
}

function rowFilter(
  { state: { pods }, podLabels: labels }: ReadQuestion,
  { namespace, workload, workloadKind, actions }: ListedPodsFilter,
): RowFilter {
  const any = namespace !== undefined || labels !== undefined || workload !== undefined || workloadKind !== undefined;
  return {
    ...(actions !== undefined && { actions: new Set(actions) }),
    ...(any && {
      fits: (pod: number): boolean => {
        if (namespace !== undefined && pods.namespace(pod) !== namespace) return false;
        if (labels?.matches(pods.labels(pod)) === false) return false;
        if (workload === undefined && workloadKind === undefined) return true;
        const owner = pods.workload(pod);
        return (workload ?? owner.name) === owner.name && (workloadKind ?? owner.kind) === owner.kind;
      },
    }),
  };
}

/** Nodes whose past matters, in the stored state. */
function storedNodes({ state, stored, nodes }: ReadQuestion): readonly number[] {
  return state === stored
    ? nodes
    : nodes.map((node) => stored.nodes.indexOf(state.nodes.name(node))).filter((node) => node >= 0);
}

/** All that a page of the same list has to agree in. */
function identityOf(request: ScheduleRequest, asOf: Date | undefined): ListIdentity {
  const { cluster, readAt } = request;
  const question = without(request, 'cluster', 'readAt', 'asOf', 'page', 'view', 'root');
  const text = stringifyJson(question);
  const list = ['eviction-schedule', cluster, readAt.scenario?.hash, readAt.intents, asOf?.toISOString(), text];
  return listInView(list, request.view);
}

async function listed<Item, Shown>(
  { total, items }: { readonly total: number; readonly items: readonly Item[] },
  slices: TimeSlices,
  show: (item: Item) => Shown,
): Promise<{ readonly total: number; readonly items: readonly Shown[] }> {
  return { total, items: await mapInSlices(items, slices, show) };
}
