import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCluster } from '../../api/cluster.js';
import { useMoment, type Moment } from '../../api/moment.js';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge, type BadgeKind } from '../../ui/badge.js';
import { count, counted } from '../../ui/format.js';
import { useAddress } from '../../ui/use-address.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import './upgrade.css';

type Kind = Schemas['UpgradeEffectKind'];
type Effect = Schemas['UpgradeEffect'];

const KINDS: Readonly<Record<Kind, readonly [BadgeKind, string]>> = {
  refused: ['bad', 'refused'],
  admitted: ['good', 'admitted'],
  field: ['warn', 'fields'],
  nodes: ['warn', 'other nodes'],
  score: ['warn', 'other best nodes'],
  message: ['quiet', 'messages'],
  quota: ['warn', 'quotas'],
  eviction: ['warn', 'evictions'],
  gate: ['quiet', 'feature gates'],
};

const isKind = (text: string): text is Kind => text in KINDS;

const reviewOf = (cluster: string, moment: Moment, to: string, kind: Kind | undefined) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'upgrade', moment, to, kind],
    queryFn: ({ signal }) =>
      service.post('/api/v1/clusters/{cluster}/upgrade-reviews', {
        path: { cluster },
        query: { ...moment, limit: 1000, totalCount: true },
        body: { to, ...(kind !== undefined && { kinds: [kind] }) },
        signal,
      }),
  });

/** What another version of Kubernetes would do differently with the cluster. */
export default function UpgradeView() {
  const [{ to, kind }, setAddress] = useAddress('to', 'kind');
  const [typed, setTyped] = useState(to);
  return (
    <>
      <section className="panel">
        <h1>Upgrade</h1>
        <form
          className="upgrade-question"
          onSubmit={(event) => {
            event.preventDefault();
            setAddress({ to: typed.trim(), kind: '' }, false);
          }}
        >
          <label>
            Version to compare with{' '}
            <input
              value={typed}
              placeholder="1.36"
              spellCheck={false}
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
          <button type="submit">Compare</button>
        </form>
        <p className="quiet">
          The cluster is evaluated by the rules of its own version and by those of the other one, older or newer.
          Nothing is stored.
        </p>
      </section>
      {to !== '' && (
        <Review
          to={to}
          kind={isKind(kind) ? kind : undefined}
          choose={(chosen) => setAddress({ kind: chosen ?? '' }, false)}
        />
      )}
    </>
  );
}

function Review({
  to,
  kind,
  choose,
}: {
  readonly to: string;
  readonly kind: Kind | undefined;
  readonly choose: (kind: Kind | undefined) => void;
}) {
  const review = useQuery(reviewOf(useCluster(), useMoment(), to, kind));
  return (
    <Answer of={review} what="the review">
      {({
        basis,
        against,
        counts,
        groups,
        evaluatedGroups,
        notLoaded,
        ruleDifferences,
        items,
        continue: more,
        remainingItemCount,
      }) => {
        const found = (Object.keys(KINDS) as Kind[]).filter((one) => counts[one] > 0);
        const unknown = groups - evaluatedGroups;
        return (
          <section className="panel" aria-labelledby="differences">
            <h2 id="differences">
              {basis.rulesVersion} → {against.rulesVersion}
            </h2>
            <p role="status">
              {found.length === 0 ? 'Nothing differs' : 'This differs'}
              {unknown + notLoaded.length > 0 && ', as far as it is known'}.
            </p>
            {unknown + notLoaded.length + ruleDifferences.length > 0 && (
              <>
                <h3>Not known</h3>
                <ul>
                  {unknown > 0 && (
                    <li>
                      {count(unknown)} of {counted(groups, 'group')} of pods: the time ran out.
                    </li>
                  )}
                  {notLoaded.length > 0 && <li>No {notLoaded.join(', ')} was ever loaded.</li>}
                  {ruleDifferences.map(({ code, message }) => (
                    <li key={`${code} ${message}`}>
                      <bdi>{message}</bdi>
                    </li>
                  ))}
                </ul>
              </>
            )}
            {found.length > 0 && (
              <>
                <div className="upgrade-kinds no-print" role="group" aria-label="Kinds of differences">
                  <button type="button" aria-pressed={kind === undefined} onClick={() => choose(undefined)}>
                    all
                  </button>
                  {found.map((one) => (
                    <button key={one} type="button" aria-pressed={one === kind} onClick={() => choose(one)}>
                      {KINDS[one][1]} {count(counts[one])}
                    </button>
                  ))}
                </div>
                <VirtualTable
                  label="What differs"
                  rows={items}
                  columns={COLUMNS}
                  keyOf={(effect) => String(items.indexOf(effect))}
                />
                {more !== null && (
                  <p className="quiet">
                    The first {count(items.length)}; {count(remainingItemCount ?? 0)} more.
                  </p>
                )}
              </>
            )}
          </section>
        );
      }}
    </Answer>
  );
}

const COLUMNS: readonly Column<Effect>[] = [
  {
    id: 'kind',
    title: 'What',
    width: '9rem',
    cell: ({ kind }) => <Badge kind={KINDS[kind][0]}>{KINDS[kind][1]}</Badge>,
  },
  {
    id: 'subject',
    title: 'Of',
    width: 'minmax(12rem, 2fr)',
    cell: ({ subject: { kind, namespace, name } }) => (
      <>
        {kind} <bdi>{namespace === null ? name : `${namespace}/${name}`}</bdi>
      </>
    ),
  },
  { id: 'pods', title: 'Pods', width: '4rem', number: true, cell: ({ pods }) => count(pods) },
  {
    id: 'message',
    title: 'Difference',
    width: 'minmax(14rem, 3fr)',
    cell: ({ message }) => <bdi>{message}</bdi>,
  },
  { id: 'before', title: 'Now', width: 'minmax(10rem, 2fr)', cell: ({ before }) => <bdi>{before}</bdi> },
  { id: 'after', title: 'Then', width: 'minmax(10rem, 2fr)', cell: ({ after }) => <bdi>{after}</bdi> },
];
