import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useCluster } from '../../api/cluster.js';
import { isPast, useMoment } from '../../api/moment.js';
import { Answer } from '../../ui/answer.js';
import { Time } from '../../ui/time.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { ChangeDetails } from './change-details.js';
import { Compose } from './compose.js';
import { changesOf, UNMADE, type Change, type Unmade } from './queries.js';
import { ApplicationBadge, changeText, StatusBadge } from './words.js';
import '../../ui/parts.css';
import './changes.css';

const ChangeReport = lazy(() => import('./change-report.js'));

interface ChangesSearch {
  readonly change?: unknown;
  readonly report?: unknown;
  readonly changes?: unknown;
}

/** Plans changes of taints, makes them, and watches what becomes of them. */
export default function ChangesView() {
  const cluster = useCluster();
  const { change, report }: ChangesSearch = useSearch({ strict: false });
  const id = typeof change === 'string' && change !== '' ? change : undefined;
  if (id !== undefined && report === true) {
    return (
      <Suspense fallback={<p className="pending">Loading…</p>}>
        <ChangeReport cluster={cluster} id={id} />
      </Suspense>
    );
  }
  return (
    <>
      <div className="changes-head">
        <h1>Change taints</h1>
        {id !== undefined && (
          <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'changes' }} search={{}}>
            Plan another change
          </Link>
        )}
      </div>
      <div className="changes">
        <div className="changes-main">
          {id === undefined ? <ComposeNow cluster={cluster} /> : <ChangeDetails key={id} cluster={cluster} id={id} />}
        </div>
        <ChangeList cluster={cluster} current={id} />
      </div>
    </>
  );
}

/** Changes are made now, whatever time the page shows. */
function ComposeNow({ cluster }: { readonly cluster: string }) {
  const navigate = useNavigate();
  if (!isPast(useMoment())) return <Compose cluster={cluster} />;
  return (
    <section className="panel">
      <p>Changes are planned on the newest state, and this page shows an earlier one.</p>
      <button
        type="button"
        onClick={() =>
          void navigate({ to: '.', search: (search) => ({ ...search, revision: undefined, at: undefined }) })
        }
      >
        Go to now
      </button>
    </section>
  );
}

const LISTS: readonly (readonly [Unmade | undefined, string])[] = [
  [undefined, 'made'],
  ['waiting', 'waiting for approval'],
  ['rejected', 'rejected'],
  ['expired', 'not approved in time'],
];

const COLUMNS: readonly Column<Change>[] = [
  {
    id: 'change',
    title: 'Change',
    width: 'minmax(0, 1fr)',
    cell: (change) => <ListedChange change={change} />,
  },
];

function ListedChange({ change }: { readonly change: Change }) {
  const cluster = useCluster();
  const { id, status, application, by, madeAt, action, undoneBy } = change;
  return (
    <>
      <Link
        to="/clusters/$cluster/$view"
        params={{ cluster, view: 'changes' }}
        search={(search) => ({ ...search, draft: undefined, report: undefined, change: id })}
      >
        <bdi>{`${action === 'change' ? '' : `${action}: `}${changeText(change)}`}</bdi>
      </Link>
      <div className="listed">
        <StatusBadge status={status} />
        {application !== null && <ApplicationBadge state={application.state} />}
        {undoneBy !== null && <span className="badge">reverted</span>}
        <span className="quiet">
          <bdi>{by.name}</bdi>, <Time at={madeAt} />
        </span>
      </div>
    </>
  );
}

function ChangeList({ cluster, current }: { readonly cluster: string; readonly current: string | undefined }) {
  const { changes }: ChangesSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const which = UNMADE.find((state) => state === changes);
  const list = useInfiniteQuery(changesOf(cluster, which));
  const more = (): void => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  };
  return (
    <section className="panel changes-list" aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      <label>
        <span className="sr-only">Which changes</span>
        <select
          value={which ?? ''}
          onChange={({ target }) =>
            void navigate({ to: '.', search: (search) => ({ ...search, changes: target.value || undefined }) })
          }
        >
          {LISTS.map(([state, title]) => (
            <option key={title} value={state ?? ''}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Answer of={list} what="the changes">
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) return <p className="quiet">None.</p>;
          return (
            <>
              <VirtualTable
                label="Changes"
                rows={rows}
                columns={COLUMNS}
                keyOf={({ id }) => id}
                total={rows.length + (pages.at(-1)?.remainingItemCount ?? 0)}
                onEnd={more}
                isCurrent={({ id }) => id === current}
              />
              {list.hasNextPage && (
                <button type="button" disabled={list.isFetchingNextPage} onClick={more}>
                  More
                </button>
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}
