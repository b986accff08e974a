import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useWhyNot } from '../../api/access.js';
import { useCluster } from '../../api/cluster.js';
import { isPast, useMoment } from '../../api/moment.js';
import { overviewOf } from '../../api/queries.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { NodeLink } from '../../ui/node-link.js';
import { scaleOf, TimeAxis, TimeLane, type Span } from '../../ui/time-chart.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { Export, type ExportFilters } from './export.js';
import { Fights } from './fights.js';
import { History } from './history.js';
import { recordsOf, type RecordFilters, type TrailRecord } from './queries.js';
import { RecordDetails } from './record-details.js';
import { Verify } from './verify.js';
import { knownOf, whenText, Who } from './words.js';
import '../../ui/parts.css';
import './trail.css';

const PAGE = 100;
const KINDS = [
  'request',
  'change',
  'found',
  'intent',
  'approval',
  'application',
  'applied',
  'attempt',
  'write',
  'withdrawn',
  'closed',
] as const;

interface TrailSearch {
  readonly node?: string;
  readonly key?: string;
  readonly effect?: string;
  readonly author?: string;
  readonly kind?: (typeof KINDS)[number];
  readonly change?: string;
  readonly from?: string;
  readonly to?: string;
  readonly all?: boolean;
  readonly record?: number;
}

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;

/** From an address, in which anything may stand. */
function readSearch(given: Readonly<Record<string, unknown>>): TrailSearch {
  const time = (value: unknown): string | undefined =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined;
  const found = {
    node: text(given['node']),
    key: text(given['key']),
    effect: text(given['effect']),
    author: text(given['author']),
    kind: KINDS.find((kind) => kind === given['kind']),
    change: text(given['change']),
    from: time(given['from']),
    to: time(given['to']),
    all: given['all'] === true ? true : undefined,
    record: typeof given['record'] === 'number' ? given['record'] : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Who changed which taint, when, and what proves it. */
export default function TrailView() {
  const cluster = useCluster();
  const whyNot = useWhyNot(cluster)('audit');
  if (whyNot.length > 0) {
    return (
      <section className="panel">
        <h1>Trail</h1>
        <p>{whyNot.join(' ')}</p>
      </section>
    );
  }
  return <Trail cluster={cluster} />;
}

function Trail({ cluster }: { readonly cluster: string }) {
  const given: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const search = useMemo(() => readSearch(given), [given]);
  const navigate = useNavigate();
  const moment = useMoment();
  const shown = useQuery({ ...overviewOf(cluster, moment), enabled: isPast(moment) }).data?.basis.capturedAt;
  const until = isPast(moment) ? (moment.at ?? shown) : undefined;
  const filter = (more: Partial<Record<keyof TrailSearch, unknown>>): void => {
    void navigate({ to: '.', search: (now) => ({ ...now, record: undefined, ...more }) });
  };
  const { record, all, ...rest } = search;
  const filters: ExportFilters = {
    ...rest,
    ...(all === true && { current: false }),
    ...(until !== undefined && rest.to === undefined && { to: new Date(Date.parse(until) + 1).toISOString() }),
  };
  return (
    <>
      <section className="panel trail-head">
        <h1>Trail</h1>
        {until !== undefined && <p className="quiet">What happened until the moment that the page shows.</p>}
        <Filters search={search} filter={filter} />
      </section>
      {search.node !== undefined && (
        <History cluster={cluster} node={search.node} taintKey={search.key} effect={search.effect} at={until} />
      )}
      <Records
        cluster={cluster}
        filters={filters}
        current={record}
        select={(sequence) => filter({ record: sequence })}
      />
      {record !== undefined && <RecordDetails key={record} cluster={cluster} sequence={record} />}
      <Fights cluster={cluster} node={search.node} taintKey={search.key} filter={filter} />
      <section className="panel no-print trail-tools">
        <Verify cluster={cluster} />
        <Export cluster={cluster} filters={filters} />
      </section>
    </>
  );
}

const FIELDS = [
  ['node', 'Node'],
  ['key', 'Taint key'],
  ['author', 'Person'],
  ['change', 'Change id'],
] as const;

function Filters({
  search,
  filter,
}: {
  readonly search: TrailSearch;
  readonly filter: (more: Partial<Record<keyof TrailSearch, unknown>>) => void;
}) {
  const [typed, setTyped] = useState<Partial<Record<keyof TrailSearch, string>>>({});
  return (
    <form
      className="trail-filters"
      onSubmit={(event) => {
        event.preventDefault();
        filter(
          Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value === '' ? undefined : value])),
        );
      }}
    >
      {FIELDS.map(([name, title]) => (
        <label key={name}>
          {title}
          <input
            value={typed[name] ?? search[name] ?? ''}
            onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
          />
        </label>
      ))}
      <label>
        From
        <input
          value={typed.from ?? search.from ?? ''}
          placeholder="2026-05-04T03:00:00Z"
          onChange={({ target }) => setTyped({ ...typed, from: target.value })}
        />
      </label>
      <label>
        To
        <input
          value={typed.to ?? search.to ?? ''}
          placeholder="2026-05-05"
          onChange={({ target }) => setTyped({ ...typed, to: target.value })}
        />
      </label>
      <label>
        Effect
        <select value={search.effect ?? ''} onChange={({ target }) => filter({ effect: target.value || undefined })}>
          <option value="">every effect</option>
          {['NoSchedule', 'PreferNoSchedule', 'NoExecute'].map((effect) => (
            <option key={effect}>{effect}</option>
          ))}
        </select>
      </label>
      <label>
        Kind
        <select value={search.kind ?? ''} onChange={({ target }) => filter({ kind: target.value || undefined })}>
          <option value="">every kind</option>
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={search.all === true}
          onChange={({ target }) => filter({ all: target.checked || undefined })}
        />
        superseded ones, too
      </label>
      <div className="trail-actions no-print">
        <button type="submit" className="primary">
          Show
        </button>
        <button
          type="button"
          onClick={() => {
            setTyped({});
            filter(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])));
          }}
        >
          Clear
        </button>
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
      </div>
    </form>
  );
}

const COLOUR: Partial<Record<TrailRecord['kind'], Span['kind']>> = {
  change: 'warn',
  applied: 'good',
  attempt: 'bad',
  withdrawn: 'bad',
};

const spanOf = ({ when, kind }: TrailRecord): Span => {
  const known = knownOf(when);
  return { start: known, end: { earliest: known.latest, latest: known.latest }, kind: COLOUR[kind] ?? 'quiet' };
};

function Records({
  cluster,
  filters,
  current,
  select,
}: {
  readonly cluster: string;
  readonly filters: RecordFilters;
  readonly current: number | undefined;
  readonly select: (sequence: number) => void;
}) {
  const records = useInfiniteQuery(recordsOf(cluster, filters, PAGE));
  const more = (): void => {
    if (records.hasNextPage && !records.isFetchingNextPage) void records.fetchNextPage();
  };
  return (
    <section className="panel" aria-labelledby="records">
      <h2 id="records">Records</h2>
      <Answer of={records} what="the trail">
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          const trail = pages[0]?.trail;
          if (rows.length === 0) return <p>No record.</p>;
          const scale = scaleOf(rows.map(spanOf));
          const columns: readonly Column<TrailRecord>[] = [
            ...COLUMNS(select),
            {
              id: 'lane',
              title: <TimeAxis scale={scale} />,
              width: 'minmax(12rem, 2fr)',
              cell: (record) => <TimeLane spans={[spanOf(record)]} scale={scale} />,
            },
          ];
          return (
            <>
              <p className="quiet">
                {rows.length} {records.hasNextPage ? 'shown, and there are more' : 'in all'}
                {trail !== undefined && `; the trail has ${trail.recordCount}`}.
              </p>
              <VirtualTable
                label="Records of the trail"
                rows={rows}
                columns={columns}
                keyOf={({ sequence }) => String(sequence)}
                onEnd={more}
                isCurrent={({ sequence }) => sequence === current}
              />
              {records.hasNextPage && (
                <button type="button" disabled={records.isFetchingNextPage} onClick={more}>
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

const COLUMNS = (select: (sequence: number) => void): readonly Column<TrailRecord>[] => [
  {
    id: 'sequence',
    title: 'No.',
    width: '4rem',
    cell: ({ sequence }) => (
      <button type="button" aria-label={`Record ${sequence}`} onClick={() => select(sequence)}>
        {sequence}
      </button>
    ),
  },
  { id: 'when', title: 'When', width: 'minmax(10rem, 1.2fr)', cell: ({ when }) => whenText(when) },
  {
    id: 'node',
    title: 'Node or rule',
    width: 'minmax(7rem, 1fr)',
    cell: ({ node, deviceTaintRule }) =>
      node === null ? (
        deviceTaintRule !== null && (
          <>
            DeviceTaintRule <bdi>{deviceTaintRule}</bdi>
          </>
        )
      ) : (
        <>
          <NodeLink name={node} />{' '}
          <Link
            to="."
            search={(search) => ({ ...search, node, record: undefined })}
            className="node-link quiet"
            aria-label={`Only records of ${node}`}
          >
            only
          </Link>
        </>
      ),
  },
  {
    id: 'what',
    title: 'What',
    width: 'minmax(12rem, 2fr)',
    cell: ({ kind, summary, status, reason, supersededBy }) => (
      <>
        {!summary.startsWith(`${kind} `) && <Badge>{kind}</Badge>} <bdi>{summary}</bdi>{' '}
        {status !== null && <Badge>{status}</Badge>}
        {supersededBy !== null && <Badge kind="warn">{`superseded by ${supersededBy}`}</Badge>}
        {reason !== null && (
          <div className="quiet">
            <bdi>{reason}</bdi>
          </div>
        )}
      </>
    ),
  },
  {
    id: 'who',
    title: 'Who',
    width: 'minmax(9rem, 1.2fr)',
    cell: (record) => <Who {...record} />,
  },
];
