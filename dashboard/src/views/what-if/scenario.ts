import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { clusterKey } from '../../api/queries.js';
import type { Moment } from '../../api/moment.js';
import { service, type Schemas } from '../../api/service.js';
import type { Search } from '../../router.js';

export type Change = Schemas['ScenarioChangeRequest'];

/** Longer addresses are cut by proxies and chats. */
const MOST_IN_ADDRESS = 6000;

export interface KeptScenario {
  readonly changes: readonly Change[];
  /** Whether the address holds something else than changes. */
  readonly isUnreadable: boolean;
  readonly isFull: boolean;
  readonly set: (changes: readonly Change[]) => void;
}

/** The scenario, which is in the address: a link shows it to others. What its changes say is checked by the service. */
export function useScenario(): KeptScenario {
  const { scenario }: { readonly scenario?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isReadable = Array.isArray(scenario) && scenario.every((one) => typeof one === 'object' && one !== null);
  const changes = isReadable ? (scenario as readonly Change[]) : [];
  return {
    changes,
    isUnreadable: scenario !== undefined && !isReadable,
    isFull: JSON.stringify(changes).length > MOST_IN_ADDRESS,
    set: (next) =>
      void navigate({
        to: '.',
        search: (now: Search): Search => ({ ...now, scenario: next.length === 0 ? undefined : next }),
        resetScroll: false,
      }),
  };
}

/** Both sides in sums; the revision and time of its answer are those of all that is asked further. */
export const outcomeOf = (cluster: string, moment: Moment, changes: readonly Change[]) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'what-if', moment, changes],
    queryFn:
      changes.length === 0
        ? skipToken
        : ({ signal }) =>
            service.post('/api/v1/clusters/{cluster}/scenario-outcomes', {
              path: { cluster },
              query: { ...moment },
              body: { scenario: { changes: [...changes] } },
              signal,
            }),
    placeholderData: () => undefined,
    retry: false,
  });

const PAGE = 200;

interface Asked {
  readonly cluster: string;
  readonly moment: Moment;
  readonly changes: readonly Change[];
}

/** What the changes make worse, in pages. */
export const impactsOf = ({ cluster, moment, changes }: Asked) =>
  infiniteQueryOptions({
    queryKey: [...clusterKey(cluster), 'what-if', 'impacts', moment, changes],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.post('/api/v1/clusters/{cluster}/scenario-impacts', {
        path: { cluster },
        query: { ...moment, limit: PAGE, ...(pageParam !== undefined && { continue: pageParam }) },
        body: { scenario: { changes: [...changes] } },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
  });

/** What becomes of the pods that wait, in pages. */
export const waitingOf = ({ cluster, moment, changes }: Asked) =>
  infiniteQueryOptions({
    queryKey: [...clusterKey(cluster), 'what-if', 'waiting', moment, changes],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      service.post('/api/v1/clusters/{cluster}/placement-comparisons', {
        path: { cluster },
        query: { ...moment, limit: PAGE, ...(pageParam !== undefined && { continue: pageParam }) },
        body: {
          against: { scenario: { changes: [...changes] } },
          differences: ['moves', 'fitsNoMore', 'fitsNow', 'neither', 'unclear'],
        },
        signal,
      }),
    getNextPageParam: (last) => last.continue ?? undefined,
  });

/** The RuntimeClasses whose pods have overhead. */
export const overheadsOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'overhead', moment, 'runtimeClass'],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/overhead-costs', {
        path: { cluster },
        query: { ...moment, by: 'runtimeClass', limit: 1000 },
        signal,
      }),
  });

/** The most names and labels that are proposed. */
const MOST_PROPOSED = 1000;
/** A label with more values than this tells single nodes apart, not groups of them. */
const MOST_VALUES = 30;

/** Names of nodes, and selectors of their labels, to choose from: those with the most nodes first. */
export const proposedNodesOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'proposed-nodes', moment],
    queryFn: async ({ signal }) => {
      const { items } = await service.get('/api/v1/clusters/{cluster}/nodes', {
        path: { cluster },
        query: { ...moment, limit: MOST_PROPOSED, fields: ['name', 'labels'] },
        signal,
      });
      const values = new Map<string, Map<string, number>>();
      for (const { labels } of items) {
        for (const [key, value] of Object.entries(labels)) {
          const counts = values.get(key) ?? new Map<string, number>();
          values.set(key, counts.set(value, (counts.get(value) ?? 0) + 1));
        }
      }
      const selectors = [...values]
        .filter(([, counts]) => counts.size <= MOST_VALUES)
        .flatMap(([key, counts]) => [...counts].map(([value, nodes]) => ({ selector: `${key}=${value}`, nodes })))
        .toSorted((a, b) => b.nodes - a.nodes)
        .slice(0, MOST_PROPOSED);
      return { names: items.map(({ name }) => name), selectors };
    },
  });

/** A change in a few words. */
export function wordsOf({
  addNodes,
  removeNodes,
  editNodes,
  addPods,
  editRuntimeClass,
  readmitPods,
  ...others
}: Change): string {
  if (addNodes !== undefined) return `add ${addNodes.count ?? 1} nodes like ${addNodes.like ?? 'the given one'}`;
  if (addPods !== undefined) return `add ${addPods.count ?? 1} pods like ${addPods.like ?? 'the given one'}`;
  if (removeNodes !== undefined) return `lose the nodes ${selected(removeNodes)}`;
  if (editNodes !== undefined) {
    const what = [
      ...(editNodes.taints ?? []).map((taint) => `taint ${typeof taint === 'string' ? taint : JSON.stringify(taint)}`),
      ...(editNodes.unschedulable === undefined ? [] : [editNodes.unschedulable ? 'cordon' : 'uncordon']),
    ];
    return `${what.join(', ') || 'edit'}: nodes ${selected(editNodes)}`;
  }
  if (editRuntimeClass !== undefined) {
    const { name, overhead = {}, overheadFactor, withoutOverhead } = editRuntimeClass;
    const amounts = Object.entries(overhead).map(([resource, value]) => `${resource} ${String(value)}`);
    const what =
      overheadFactor === undefined
        ? withoutOverhead === true
          ? 'none'
          : amounts.join(', ') || 'unchanged'
        : `times ${overheadFactor}`;
    return `overhead of RuntimeClass ${name}: ${what}`;
  }
  if (readmitPods !== undefined) {
    const { runtimeClass } = readmitPods;
    return `recreate the pods ${runtimeClass === undefined ? JSON.stringify(readmitPods) : `of RuntimeClass ${runtimeClass}`}`;
  }
  return JSON.stringify(others);
}

function selected({
  nodes,
  labelSelector,
  allNodes,
}: {
  readonly nodes?: readonly string[];
  readonly labelSelector?: string;
  readonly allNodes?: boolean;
}): string {
  if (allNodes === true) return '(all)';
  return labelSelector === undefined ? (nodes ?? []).join(', ') : `with ${labelSelector}`;
}
