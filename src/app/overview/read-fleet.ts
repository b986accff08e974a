import { DEFAULT_COMPUTED, TROUBLES } from '../../contract/overview/fleet.js';
import type { readFleet } from '../../contract/overview/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { FleetStore, type FleetRow, type StoredFigures } from '../../storage/fleet-store.js';
import { DIGEST_CODE } from '../../digest-code.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { pageOf } from '../paging/page.js';
import { wholeSecondsBetween } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { KeepFigures } from './keep-figures.js';

type Answer = AnswerTo<typeof readFleet>;
type Item = Answer['page']['items'][number]['item'];
type Trouble = (typeof TROUBLES)[number];

const OLD_STATE_SECONDS = 86_400;
/** Clusters whose figures are computed at the same time: loading a state takes time and memory. */
const AT_ONCE = 2;

/** Reads all clusters with why to look at them. The figures of states are kept in the database. */
export class ReadFleet {
  constructor(
    private readonly fleet: FleetStore,
    private readonly keepFigures: KeepFigures,
  ) {}

  async run(
    { labelSelector, name, trouble, order, compute, page }: RequestOf<typeof readFleet>,
    context: RequestContext,
  ): Promise<Answer> {
    const selector = readLabelSelector(labelSelector);
    const wanted = name?.toLowerCase();
    const picked = (await this.fleet.list(DIGEST_CODE, context.now)).filter(
      (row) =>
        context.access.may('read', row.name) &&
        selector?.matches(row.labels) !== false &&
        (wanted === undefined || row.name.includes(wanted)),
    );
    const computed = await this.compute(picked, compute ?? DEFAULT_COMPUTED, context);
    const all = picked.map((row) => clusterOf(computed.get(row) ?? row, context.now));
    const shown = trouble === undefined ? all : all.filter(({ troubles }) => troubles.includes(trouble));
    const keyOf = order === 'name' ? (item: Item) => item.name : urgency;
    const keyed = shown.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : 1));
    const cut = pageOf(keyed, ({ key }) => key, page, ['fleet', labelSelector, wanted, trouble, order]);
    return {
      sums: sumsOf(shown),
      page: { ...cut, items: cut.items.map(({ item, token }) => ({ item: item.item, token })) },
    };
  }

  /** Counts first what was never counted, then what was counted in an earlier revision. */
  private async compute(
    rows: readonly FleetRow[],
    most: number,
    context: RequestContext,
  ): Promise<ReadonlyMap<FleetRow, FleetRow>> {
    const withState = rows.filter(({ headRevision }) => headRevision > 0);
    const due = [...withState.filter(isUncounted), ...withState.filter(isOutdated)].slice(0, most);
    const computed = new Map<FleetRow, FleetRow>();
    const waiting = due.values();
    const worker = async (): Promise<void> => {
      for (const row of waiting) {
        try {
          const { revision, figures } = await this.keepFigures.run(row, context);
          computed.set(row, {
            ...row,
            figuresRevision: revision.number,
            figuresCapturedAt: revision.capturedAt,
            figures: JSON.stringify(figures),
          });
        } catch (thrown) {
          const error = serviceErrorOf(thrown);
          // One cluster that cannot be read, or was just deleted, hides no other.
          if (error.code === 'cancelled' || error.code === 'shutting-down') throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return computed;
  }
}

const isUncounted = ({ headRevision, figures }: Pick<FleetRow, 'headRevision' | 'figures'>): boolean =>
  headRevision > 0 && figures === null;

const isOutdated = ({ headRevision, figuresRevision }: FleetRow): boolean =>
  figuresRevision !== null && figuresRevision < headRevision;

function clusterOf(row: FleetRow, now: Date): Item {
  const { name, labels, headRevision, capturedAt, currentAt, unconfirmedNodes, agreed, disagreed, unknown } = row;
  const known = currentAt !== null && capturedAt !== null && currentAt > capturedAt ? currentAt : capturedAt;
  const figures = row.figures === null ? null : (JSON.parse(row.figures) as StoredFigures);
  const cluster: Omit<Item, 'troubles'> = {
    name,
    labels,
    headRevision: headRevision === 0 ? null : headRevision,
    capturedAt,
    currentAt,
    ageSeconds: known === null ? null : wholeSecondsBetween(known, now),
    link: linkOf(row),
    figures: figures && { revision: row.figuresRevision!, capturedAt: row.figuresCapturedAt, ...figures },
    unconfirmedNodes,
    agreement: { agreed, disagreed, unknown },
  };
  return { ...cluster, troubles: troublesOf(cluster) };
}

function linkOf({ connected, follow, leased, since, message, kindsMissing, currentAt }: FleetRow): Item['link'] {
  if (!connected) return { state: currentAt === null ? 'snapshots' : 'agent', since: null, message: null };
  if (!follow) return { state: 'connected', since: null, message: null };
  if (!leased) {
    return { state: 'broken', since: null, message: 'no replica of the service follows the cluster just now' };
  }
  const began = since === null ? null : new Date(since);
  if (message !== null) return { state: 'broken', since: began, message };
  if (kindsMissing === 0) return { state: 'following', since: began, message: null };
  const kinds = kindsMissing === 1 ? '1 kind is' : `${kindsMissing} kinds are`;
  return { state: 'partly', since: began, message: `${kinds} not read just now; the connection says why` };
}

function troublesOf(cluster: Omit<Item, 'troubles'>): Trouble[] {
  const { link, figures, agreement, unconfirmedNodes, ageSeconds, headRevision } = cluster;
  const has: Readonly<Record<Trouble, boolean>> = {
    linkBroken: link.state === 'broken',
    nodesNotReady: (figures?.nodes.notReady ?? 0) > 0,
    podsUnscheduled: (figures?.pods.unscheduled ?? 0) > 0,
    findingErrors: (figures?.findings.error ?? 0) > 0,
    disagreements: Number(agreement.disagreed) > 0,
    unconfirmedChanges: unconfirmedNodes > 0,
    oldState: (ageSeconds ?? 0) > OLD_STATE_SECONDS,
    noState: headRevision === null,
  };
  return TROUBLES.filter((trouble) => has[trouble]);
}

/** A key that sorts by the most urgent trouble, then the next, then by pods that wait and nodes that are not ready. */
function urgency({ troubles, figures, name }: Item): string {
  const mask = TROUBLES.map((trouble) => (troubles.includes(trouble) ? '0' : '1')).join('');
  const amount = (figures?.pods.unscheduled ?? 0) + (figures?.nodes.notReady ?? 0);
  return `${mask} ${String(MOST - amount).padStart(12, '0')} ${name}`;
}

const MOST = 999_999_999_999;

function sumsOf(items: readonly Item[]): Answer['sums'] {
  const sums = { clusters: items.length, troubled: 0, nodes: 0, pods: 0, unscheduled: 0, uncounted: 0, outdated: 0 };
  for (const { figures, headRevision, troubles } of items) {
    if (troubles.length > 0) sums.troubled++;
    if (figures === null) {
      if (headRevision !== null) sums.uncounted++;
      continue;
    }
    sums.nodes += figures.nodes.total;
    sums.pods += figures.pods.total;
    sums.unscheduled += figures.pods.unscheduled;
    if (figures.revision < (headRevision ?? 0)) sums.outdated++;
  }
  return sums;
}
