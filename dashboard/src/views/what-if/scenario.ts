import { queryOptions, skipToken } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { clusterKey } from '../../api/queries.js';
import type { Moment } from '../../api/moment.js';
import { ask, service, type Schemas } from '../../api/service.js';
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

const MOST_ROWS = 500;

/** What the changes make worse, what becomes of the pods that wait, and the sums: undefined without changes. */
export const whatIfOf = (cluster: string, moment: Moment, changes: readonly Change[]) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'what-if', moment, changes],
    queryFn:
      changes.length === 0
        ? skipToken
        : async ({ signal }) => {
            const path = { cluster };
            const scenario = { changes: [...changes] };
            const text = JSON.stringify(scenario);
            const list = { params: { path, query: { ...moment, limit: MOST_ROWS } }, signal };
            const [overview, impacts, pods] = await Promise.all([
              ask(
                service.GET('/api/v1/clusters/{cluster}/overview', {
                  params: { path, query: { ...moment, scenario: text } },
                  signal,
                }),
              ),
              ask(service.POST('/api/v1/clusters/{cluster}/scenario-impacts', { ...list, body: { scenario } })),
              ask(
                service.POST('/api/v1/clusters/{cluster}/placement-comparisons', {
                  ...list,
                  body: {
                    against: { scenario },
                    differences: ['moves', 'fitsNoMore', 'fitsNow', 'neither', 'unclear'],
                  },
                }),
              ),
            ]);
            return { overview, impacts, pods };
          },
    placeholderData: () => undefined,
    retry: false,
  });

/** What the pods of each RuntimeClass have as overhead. */
export const overheadsOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'overhead', moment, 'runtimeClass'],
    queryFn: ({ signal }) =>
      ask(
        service.GET('/api/v1/clusters/{cluster}/overhead-costs', {
          params: { path: { cluster }, query: { ...moment, by: 'runtimeClass', limit: 1000 } },
          signal,
        }),
      ),
  });

/** A change in a few words. */
export function wordsOf({
  addNodes,
  removeNodes,
  editNodes,
  editRuntimeClass,
  readmitPods,
  ...others
}: Change): string {
  if (addNodes !== undefined) return `add ${addNodes.count ?? 1} nodes like ${addNodes.like ?? 'the given one'}`;
  if (removeNodes !== undefined) return `lose the nodes ${selected(removeNodes)}`;
  if (editNodes !== undefined) {
    const what = [
      ...(editNodes.taints ?? []).map((taint) => `taint ${typeof taint === 'string' ? taint : JSON.stringify(taint)}`),
      ...(editNodes.unschedulable === undefined ? [] : [editNodes.unschedulable ? 'cordon' : 'uncordon']),
    ];
    return `${what.join(', ') || 'edit'}: nodes ${selected(editNodes)}`;
  }
  if (editRuntimeClass !== undefined) {
    const amounts = Object.entries(editRuntimeClass.overhead ?? {}).map(([name, value]) => `${name} ${String(value)}`);
    return `overhead of RuntimeClass ${editRuntimeClass.name}: ${amounts.join(', ') || 'none'}`;
  }
  if (readmitPods !== undefined) return `recreate the pods ${JSON.stringify(readmitPods)}`;
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
