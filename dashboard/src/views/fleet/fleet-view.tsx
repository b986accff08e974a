import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ofEveryCluster, useMoment } from '../../api/moment.js';
import { fleetOf } from '../../api/queries.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { FilterField, useTextParameter } from '../../ui/filter-field.js';
import { count, counted } from '../../ui/format.js';
import { exactTime, Time } from '../../ui/time.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';

type FleetCluster = Schemas['FleetCluster'];
type Trouble = Schemas['ClusterTrouble'];

const TROUBLES: Readonly<Record<Trouble, { readonly text: string; readonly kind: 'bad' | 'warn' }>> = {
  linkBroken: { text: 'link broken', kind: 'bad' },
  nodesNotReady: { text: 'nodes not ready', kind: 'bad' },
  podsUnscheduled: { text: 'pods wait', kind: 'bad' },
  findingErrors: { text: 'errors found', kind: 'bad' },
  disagreements: { text: 'predictions disagree', kind: 'warn' },
  unconfirmedChanges: { text: 'unconfirmed changes', kind: 'warn' },
  oldState: { text: 'old state', kind: 'warn' },
  noState: { text: 'no state yet', kind: 'warn' },
};

const LINKS: Readonly<
  Record<Schemas['ClusterLinkState'], { readonly text: string; readonly kind?: 'good' | 'bad' | 'warn' }>
> = {
  following: { text: 'following', kind: 'good' },
  partly: { text: 'partly', kind: 'warn' },
  broken: { text: 'broken', kind: 'bad' },
  agent: { text: 'agent' },
  connected: { text: 'connected' },
  snapshots: { text: 'snapshots' },
};

const isTrouble = (text: string): text is Trouble => Object.hasOwn(TROUBLES, text);

/** Every cluster, and where to look first. */
export default function FleetView() {
  const { q }: { readonly q?: unknown } = useSearch({ strict: false });
  const name = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  const [troubleText, setTrouble] = useTextParameter('trouble');
  const trouble = isTrouble(troubleText) ? troubleText : undefined;
  const fleet = useInfiniteQuery(fleetOf({ ...(name !== '' && { name }), ...(trouble !== undefined && { trouble }) }));
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = fleet;
  return (
    <section className="panel">
      <title>Fleet · kube-placement</title>
      <div className="toolbar">
        <h1>Fleet</h1>
        <FilterField label="Name" parameter="q" />
        <label className="select-field">
          <span>Trouble</span>
          <select value={trouble ?? ''} onChange={({ target }) => setTrouble(target.value)}>
            <option value="">any or none</option>
            {Object.entries(TROUBLES).map(([value, { text }]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ShownMoment />
      <Answer of={fleet} what="the clusters">
        {({ pages }) => {
          const { sums } = pages[0]!;
          const items = pages.flatMap((page) => page.items);
          if (sums.clusters === 0) {
            return name === '' && trouble === undefined ? (
              <p>No cluster is stored yet. Send a snapshot, or connect a cluster.</p>
            ) : (
              <p>No cluster matches.</p>
            );
          }
          return (
            <>
              <p className="quiet" role="status">
                {counted(sums.clusters, 'cluster')}, {count(sums.troubled)} to look at; {counted(sums.nodes, 'node')},{' '}
                {counted(sums.pods, 'pod')}, of which {count(sums.unscheduled)} wait for a node.
                {sums.uncounted > 0 && ` ${counted(sums.uncounted, 'cluster')} still to be counted.`}
              </p>
              <VirtualTable
                label="Clusters"
                rows={items}
                columns={COLUMNS}
                keyOf={(cluster) => cluster.name}
                total={sums.clusters}
                onEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
              />
            </>
          );
        }}
      </Answer>
    </section>
  );
}

/** To the cluster as of the moment of the address. */
function ClusterLink({ name }: { readonly name: string }) {
  const moment = ofEveryCluster(useMoment());
  return (
    <Link to="/clusters/$cluster" params={{ cluster: name }} search={{ ...moment }} title={name}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** The fleet has no past: its links do. */
function ShownMoment() {
  const { at } = useMoment();
  if (at === undefined) return null;
  return (
    <p className="fleet-moment" role="status">
      The fleet is shown as it is now; the clusters open as of {exactTime(at)}.{' '}
      <Link to="." search={(search) => ({ ...search, at: undefined })}>
        Back to now
      </Link>
    </p>
  );
}

/** What was counted, or that nothing was. */
const figure =
  (of: (figures: NonNullable<FleetCluster['figures']>) => number, kind?: 'bad' | 'warn') =>
  ({ figures }: FleetCluster) => {
    if (figures === null || figures === undefined)
      return (
        <span className="quiet" title="Not counted yet">
          ·
        </span>
      );
    const number = of(figures);
    return kind !== undefined && number > 0 ? <Badge kind={kind}>{count(number)}</Badge> : count(number);
  };

const COLUMNS: readonly Column<FleetCluster>[] = [
  {
    id: 'name',
    title: 'Cluster',
    width: 'minmax(8.5rem, 2fr)',
    cell: ({ name }) => <ClusterLink name={name} />,
  },
  {
    id: 'troubles',
    title: 'Look because',
    width: 'minmax(10rem, 3fr)',
    cell: ({ troubles }) =>
      troubles.length === 0 ? (
        <span className="quiet">nothing stands out</span>
      ) : (
        troubles.map((trouble) => (
          <Badge key={trouble} kind={TROUBLES[trouble].kind}>
            {TROUBLES[trouble].text}
          </Badge>
        ))
      ),
  },
  {
    id: 'link',
    title: 'Link',
    width: '6rem',
    cell: ({ link: { state, message } }) => (
      <span title={message ?? undefined}>
        <Badge kind={LINKS[state].kind ?? 'quiet'}>{LINKS[state].text}</Badge>
      </span>
    ),
  },
  {
    id: 'age',
    title: 'State',
    width: '7.2rem',
    cell: ({ capturedAt, currentAt }) => {
      if (capturedAt === null || capturedAt === undefined) return <span className="quiet">none</span>;
      const later = currentAt !== null && currentAt !== undefined && currentAt > capturedAt;
      return <Time at={later ? currentAt : capturedAt} />;
    },
  },
  { id: 'nodes', title: 'Nodes', width: '3.2rem', number: true, cell: figure(({ nodes }) => nodes.total) },
  {
    id: 'notReady',
    title: 'Not ready',
    width: '4.4rem',
    number: true,
    cell: figure(({ nodes }) => nodes.notReady, 'bad'),
  },
  {
    id: 'cordoned',
    title: 'Cordoned',
    width: '4.4rem',
    number: true,
    cell: figure(({ nodes }) => nodes.unschedulable),
  },
  {
    id: 'waiting',
    title: 'Waiting',
    width: '3.6rem',
    number: true,
    cell: figure(({ pods }) => pods.unscheduled, 'bad'),
  },
  {
    id: 'errors',
    title: 'Errors',
    width: '3.2rem',
    number: true,
    cell: figure(({ findings }) => findings.error, 'bad'),
  },
  {
    id: 'warnings',
    title: 'Warnings',
    width: '4.2rem',
    number: true,
    cell: figure(({ findings }) => findings.warning),
  },
  {
    id: 'agreement',
    title: 'Agreed',
    width: '3.6rem',
    number: true,
    cell: ({ agreement: { agreed, disagreed } }) => {
      const judged = agreed + disagreed;
      if (judged === 0)
        return (
          <span className="quiet" title="Nothing to compare in the last 7 days">
            ·
          </span>
        );
      // Rounded down: 100 % says that nothing disagrees.
      const percent = Math.floor((agreed / judged) * 1000) / 10;
      return <span title={`${count(disagreed)} of ${count(judged)} disagree`}>{percent} %</span>;
    },
  },
  {
    id: 'unconfirmed',
    title: 'Unconfirmed',
    width: '5.5rem',
    number: true,
    cell: ({ unconfirmedNodes }) =>
      unconfirmedNodes > 0 ? <Badge kind="warn">{count(unconfirmedNodes)}</Badge> : count(0),
  },
];
