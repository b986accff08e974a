import { rulesOfRevision } from '../reads/rules-of-revision.js';
import type { ChosenRules } from '../../core/kubernetes/cluster-version.js';
import type { verdictTurn } from '../../contract/decisions/replay.js';
import type { Response } from '../../contract/schema.js';
import { harmlessWebhooksIn } from '../../core/admission/surroundings-in.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { SettingKind } from '../../core/cluster/setting.js';
import { patchBetween } from '../../core/json/patch-between.js';
import type { KeptKind } from '../../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import { ClusterHistory } from '../../storage/cluster-history.js';
import type { DecisionVerdict } from '../../storage/decisions/decision.js';
import type { ObjectKey } from '../../storage/object-key.js';
import { ObjectReader } from '../../storage/object-reader.js';
import { RevisionStore } from '../../storage/revision-store.js';
import type { Revision } from '../../storage/revision.js';
import { ServiceError } from '../errors/service-error.js';
import { basisOf } from '../reads/basis.js';
import type { RequestContext } from '../request-context.js';
import { ScenarioStates } from '../states/scenario-states.js';
import { StoredStates } from '../states/stored-states.js';
import { GetCluster } from '../clusters/get-cluster.js';
import type { Cluster } from '../../storage/cluster-store.js';
import { ReplayContext } from './replay-context.js';
import { isAboutQuestion, type RecordedQuestion } from './recorded-question.js';
import { smallestPart } from './smallest-part.js';

type Turn = Response<typeof verdictTurn>;

export interface FoundTurn {
  readonly turn: Turn | null;
  /** Why there is none. */
  readonly note: string | null;
}

/** Where the verdict turned, at the latest. */
export interface TurnedVerdict {
  /** Revision of the decision. */
  readonly from: number;
  readonly head: Revision;
  /** The verdict on the head. */
  readonly verdict: DecisionVerdict;
}

/** Maximum duration of the search in milliseconds; what is found until then is returned. */
const BUDGET = 20_000;
const MAX_TRIES = 300;
const MAX_OBJECTS = 50;
const MAX_OPERATIONS = 20;

/** A verdict, or undefined where the question has no answer. */
type Verdict = DecisionVerdict | undefined;

/** A changed object, or the kinds that a revision has as the first one. */
type Change =
  | { readonly type: 'object'; readonly key: ObjectKey; readonly before: Stored; readonly after: Stored }
  | { readonly type: 'kinds'; readonly kinds: readonly KeptKind[] };

type Stored = KubernetesObject | undefined;

/** Finds the revision that turned a verdict, and which of its changes did. */
export class FindTurn {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly revisions: RevisionStore,
    private readonly history: ClusterHistory,
    private readonly states: StoredStates,
    private readonly scenarioStates: ScenarioStates,
    private readonly reader: ObjectReader,
  ) {}

  /**
   * Bisects the revisions from that of the decision (or the oldest stored one after it) to the head: two revisions in a row, the second
   * with the verdict of the head, the first without it. If the verdict turned several times, this is one of those turns.
   */
  async run(
    asked: RecordedQuestion,
    { from, head, verdict }: TurnedVerdict,
    context: RequestContext,
  ): Promise<FoundTurn> {
    const cluster = await this.getCluster.run(asked.cluster);
    const search = new Search(performance.now() + BUDGET);
    const evaluate = async (revision: Revision): Promise<Verdict> => {
      search.count();
      const { intents, rulesVersion } = asked.readAt;
      const { rules } = rulesOfRevision(revision, rulesVersion);
      const state = await this.states.of(revision, intents, context, rules);
      return this.verdictOn(state, revision, { asked, cluster }, context);
    };
    const end = await this.history.end(cluster.id);
    let low = await this.revisions.get(cluster.id, Math.max(from, end?.oldest ?? from));
    if (low === undefined) return nothing('The revisions since the decision are no longer stored.');
    let before = await evaluate(low);
    if (before === verdict) {
      return nothing(
        low.number === from
          ? 'The revision of the decision has the verdict of the head by the rules, the time and the question as they are now.'
          : `The verdict turned before revision ${low.number}, the oldest stored one.`,
      );
    }
    let high = head;
    while (high.number - low.number > 1) {
      if (!search.mayContinue()) return nothing('The search for the revision that turned the verdict took too long.');
      const middle = await this.revisions.get(cluster.id, Math.floor((low.number + high.number) / 2));
      if (middle === undefined) return nothing('Revisions were removed during the search.');
      const found = await evaluate(middle);
      if (found === verdict) high = middle;
      else [low, before] = [middle, found];
    }
    const found = await this.changes({ low, high, verdict }, { asked, cluster }, search, context);
    const { number: revision, kind, capturedAt, author } = high;
    return {
      turn: { from: low.number, revision, kind, capturedAt, author, before: before ?? null, after: verdict, ...found },
      note: null,
    };
  }

  /** The smallest part of the changes between two revisions that turns the verdict. */
  private async changes(
    { low, high, verdict }: { readonly low: Revision; readonly high: Revision; readonly verdict: DecisionVerdict },
    question: Asked,
    search: Search,
    context: RequestContext,
  ): Promise<Pick<Turn, 'objects' | 'kinds' | 'note'>> {
    const { intents, rulesVersion } = question.asked.readAt;
    const { upserts, deletes } = await this.reader.changesBetween(low.clusterId, low.number, high.number);
    const [former, { rules }] = [low, high].map((revision) => rulesOfRevision(revision, rulesVersion)) as [
      ChosenRules,
      ChosenRules,
    ];
    const before = await this.states.of(low, intents, context, rules);
    if (rules !== former.rules) {
      search.count();
      if ((await this.verdictOn(before, high, question, context)) === verdict) {
        const note = `The rules turned the verdict: those of Kubernetes ${former.rules.id} applied before, those of ${rules.id} since.`;
        return { objects: [], kinds: [], note };
      }
    }
    const after = await this.states.of(high, intents, context, rules);
    const all: Change[] = [
      ...kindsBetween(before, after),
      ...[...upserts, ...deletes].map((key): Change => {
        const at = (state: ClusterState): Stored =>
          state.find(key.kind as KeptKind | SettingKind, key.namespace, key.name);
        return { type: 'object', key, before: at(before), after: at(after) };
      }),
    ];
    const suffices = async (part: readonly Change[]): Promise<boolean> => {
      search.count();
      return (await this.verdictOn(before.fork().apply(applied(part)), high, question, context)) === verdict;
    };
    // The state may depend on more than its objects, so the changes alone are checked first.
    if (!(await suffices(all))) {
      return { objects: [], kinds: [], note: 'The changed objects alone do not turn the verdict.' };
    }
    const { part, isSmallest } = await smallestPart(all, suffices, () => search.mayContinue());
    const objects = part.flatMap((change) => (change.type === 'object' ? [turningObject(change)] : []));
    return {
      objects: objects.slice(0, MAX_OBJECTS),
      kinds: part.flatMap((change) => (change.type === 'kinds' ? change.kinds : [])),
      note: noteOn(objects.length, isSmallest),
    };
  }

  private async verdictOn(
    stored: ClusterState,
    revision: Revision,
    { asked, cluster }: Asked,
    context: RequestContext,
  ): Promise<Verdict> {
    const { answerer, question, readAt } = asked;
    try {
      const { state, scenario } = await this.scenarioStates.apply(stored, readAt.scenario, {
        cluster: asked.cluster,
        context,
      });
      if (!context.access.seesTaintValues(asked.cluster)) context.withheld.addState(state);
      const { intents, rulesVersion } = readAt;
      const basis = basisOf({ cluster, revision }, context.now, context.requestId, {
        rules: rulesOfRevision(revision, rulesVersion),
        scenario,
        intents,
        harmlessWebhooks: harmlessWebhooksIn(state),
      });
      const own = new ReplayContext(context, context.requestId);
      if (answerer.verdict !== undefined) return await answerer.verdict(question, { basis, state }, own);
      return (await answerer.answer(question, { basis, state }, own)).verdict;
    } catch (error) {
      if (error instanceof ServiceError && isAboutQuestion(error)) return undefined;
      throw error;
    }
  }
}

interface Asked {
  readonly asked: RecordedQuestion;
  readonly cluster: Cluster;
}

/** What is left of the budget of a search. */
class Search {
  private tries = 0;

  constructor(private readonly deadline: number) {}

  count(): void {
    this.tries += 1;
  }

  mayContinue(): boolean {
    return this.tries < MAX_TRIES && performance.now() < this.deadline;
  }
}

const nothing = (note: string): FoundTurn => ({ turn: null, note });

function kindsBetween(before: ClusterState, after: ClusterState): readonly Change[] {
  return [...after.loadedKinds]
    .filter((kind) => !before.loadedKinds.has(kind))
    .map((kind) => ({ type: 'kinds', kinds: [kind] }));
}

function applied(part: readonly Change[]): Parameters<ClusterState['apply']>[0] {
  const objects = part.flatMap((change) => (change.type === 'object' ? [change] : []));
  return {
    upserts: objects.flatMap(({ after }) => after ?? []),
    deletes: objects.flatMap(({ key, after }) => (after === undefined ? [key] : [])),
    loadedKinds: part.flatMap((change) => (change.type === 'kinds' ? change.kinds : [])),
  };
}

function turningObject({ key, before, after }: Change & { readonly type: 'object' }): Turn['objects'][number] {
  const { kind, namespace, name } = key;
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const patch = change === 'changed' ? patchBetween(before, after, () => '') : [];
  const operations = patch.slice(0, MAX_OPERATIONS).map(({ op, path, ...rest }) => ({
    op,
    path,
    ...('value' in rest && { value: rest.value }),
  }));
  return { kind, namespace, name, change, patch: operations };
}

function noteOn(objects: number, isSmallest: boolean): string | null {
  const notes = [
    ...(isSmallest ? [] : ['The search stopped early, so some of the objects may not be needed.']),
    ...(objects > MAX_OBJECTS ? [`${objects - MAX_OBJECTS} more objects are not listed.`] : []),
  ];
  return notes.length === 0 ? null : notes.join(' ');
}
