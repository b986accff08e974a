import { useInfiniteQuery } from '@tanstack/react-query';
import { useMoment } from '../../api/moment.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { budgetsOf } from './queries.js';

type Budget = Schemas['DisruptionBudget'];

export const BUDGET_COLUMNS: readonly Column<Budget>[] = [
  {
    id: 'name',
    title: 'Budget',
    width: 'minmax(10rem, 1.2fr)',
    cell: ({ namespace, name, minAvailable, maxUnavailable }) => (
      <>
        <bdi>{`${namespace}/${name}`}</bdi>
        <div className="quiet">
          {minAvailable !== null && `minAvailable ${minAvailable} `}
          {maxUnavailable !== null && `maxUnavailable ${maxUnavailable}`}
        </div>
      </>
    ),
  },
  {
    id: 'allowed',
    title: 'May leave',
    width: '7rem',
    cell: ({ computed }) =>
      computed === null ? (
        <Badge kind="warn">not known</Badge>
      ) : (
        <Badge kind={computed.disruptionsAllowed > 0 ? 'good' : 'bad'}>{computed.disruptionsAllowed}</Badge>
      ),
  },
  {
    id: 'healthy',
    title: 'Healthy, of those wanted',
    width: '9rem',
    cell: ({ computed }) =>
      computed !== null &&
      `${computed.currentHealthy} of ${computed.desiredHealthy} (${computed.expectedPods} expected)`,
  },
  {
    id: 'text',
    title: 'How it is counted',
    width: 'minmax(16rem, 3fr)',
    cell: ({ text, differs, stored, why }) => (
      <>
        <bdi>{why ?? text}</bdi>
        {differs.length > 0 && (
          <div className="quiet">
            The cluster has another {differs.join(', ')}
            {stored !== null && ` (${stored.disruptionsAllowed} may leave)`}.
          </div>
        )}
      </>
    ),
  },
];

/** Which pods may leave, by their budgets. */
export function Budgets({ cluster }: { readonly cluster: string }) {
  const budgets = useInfiniteQuery(budgetsOf(cluster, useMoment()));
  const more = (): void => {
    if (budgets.hasNextPage && !budgets.isFetchingNextPage) void budgets.fetchNextPage();
  };
  return (
    <section className="panel" aria-labelledby="budgets">
      <h2 id="budgets">Disruption budgets</h2>
      <Answer of={budgets} what="the budgets">
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) return <p>The cluster has none, or none was loaded.</p>;
          return (
            <VirtualTable
              label="PodDisruptionBudgets"
              rows={rows}
              columns={BUDGET_COLUMNS}
              keyOf={({ namespace, name }) => `${namespace}/${name}`}
              total={rows.length + (pages.at(-1)?.remainingItemCount ?? 0)}
              onEnd={more}
            />
          );
        }}
      </Answer>
    </section>
  );
}
