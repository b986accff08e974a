import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useWhyNot } from '../../api/access.js';
import { useMoment } from '../../api/moment.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Assumptions } from '../../ui/assumptions.js';
import { Badge, type BadgeKind } from '../../ui/badge.js';
import { GuardedButton } from '../../ui/guarded-button.js';
import { NodeLink } from '../../ui/node-link.js';
import { scaleOf, sinceText, TimeAxis, TimeLane, type Span } from '../../ui/time-chart.js';
import { Workloads } from '../../ui/workload.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { BUDGET_COLUMNS } from './budgets.js';
import { drainOf, type DrainedNode } from './queries.js';

interface DrainDraft {
  /** Names, or a label selector. */
  readonly nodes: string;
  readonly taint: string;
  readonly maxParallel: string;
  readonly timeout: string;
  readonly force: boolean;
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
}

const EMPTY: DrainDraft = {
  nodes: '',
  taint: '',
  maxParallel: '1',
  timeout: '',
  force: false,
  ignoreDaemonSets: true,
  deleteEmptyDirData: false,
};

function readDrain(given: unknown): DrainDraft | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const of = given as Readonly<Record<string, unknown>>;
  const text = (name: keyof DrainDraft, otherwise = ''): string => {
    const value = of[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
  };
  return {
    nodes: text('nodes'),
    taint: text('taint'),
    maxParallel: text('maxParallel', '1'),
    timeout: text('timeout'),
    force: of['force'] === true,
    ignoreDaemonSets: of['ignoreDaemonSets'] !== false,
    deleteEmptyDirData: of['deleteEmptyDirData'] === true,
  };
}

const isSelector = (text: string): boolean => /[=!()]/.test(text);

function bodyOf({ nodes, taint, maxParallel, timeout, ...flags }: DrainDraft): Schemas['DrainRequest'] {
  return {
    ...(isSelector(nodes)
      ? { nodeSelector: nodes.trim() }
      : { nodes: nodes.split(/[\s,]+/).filter((word) => word !== '') }),
    options: { ...flags, ...(timeout.trim() !== '' && { timeoutSeconds: Number(timeout) }) },
    ...(taint.trim() !== '' && { taint: taint.trim() }),
    rolling: { maxParallel: Number(maxParallel) },
  };
}

const FLAGS = [
  ['ignoreDaemonSets', '--ignore-daemonsets'],
  ['deleteEmptyDirData', '--delete-emptydir-data'],
  ['force', '--force'],
] as const;

/** What kubectl drain does, node by node, and what blocks it. */
export function Drains({ cluster }: { readonly cluster: string }) {
  const { drain }: { readonly drain?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const whyNot = useWhyNot(cluster)('evaluate');
  const shown = useMemo(() => readDrain(drain), [drain]);
  const [draft, setDraft] = useState(shown ?? EMPTY);
  const change = (more: Partial<DrainDraft>): void => setDraft({ ...draft, ...more });
  const lacks = draft.nodes.trim() === '' ? ['Name the nodes, or write a label selector.'] : [];
  return (
    <>
      <section className="panel no-print" aria-labelledby="drain">
        <h2 id="drain">Drain</h2>
        <label className="wide">
          Nodes in order, or a label selector
          <textarea
            className="code"
            rows={2}
            value={draft.nodes}
            placeholder="node-1 node-2, or pool=batch"
            onChange={({ target }) => change({ nodes: target.value })}
          />
        </label>
        <div className="fields">
          <label>
            At a time
            <input
              type="number"
              min={1}
              value={draft.maxParallel}
              onChange={({ target }) => change({ maxParallel: target.value })}
            />
          </label>
          <label>
            --timeout in seconds
            <input
              type="number"
              min={0}
              placeholder="none"
              value={draft.timeout}
              onChange={({ target }) => change({ timeout: target.value })}
            />
          </label>
          <label>
            Compare with the taint
            <input
              className="mono"
              placeholder="drain=true:NoExecute"
              value={draft.taint}
              onChange={({ target }) => change({ taint: target.value })}
            />
          </label>
        </div>
        <div className="choices">
          {FLAGS.map(([name, title]) => (
            <label key={name} className="mono">
              <input
                type="checkbox"
                checked={draft[name]}
                onChange={({ target }) => change({ [name]: target.checked })}
              />{' '}
              {title}
            </label>
          ))}
        </div>
        <div className="actions">
          <GuardedButton
            primary
            whyNot={[...whyNot, ...lacks]}
            onClick={() => void navigate({ to: '.', search: (search) => ({ ...search, drain: draft }) })}
          >
            Plan the drain
          </GuardedButton>
        </div>
      </section>
      {shown !== undefined && whyNot.length === 0 && <Planned cluster={cluster} draft={shown} />}
    </>
  );
}

function Planned({ cluster, draft }: { readonly cluster: string; readonly draft: DrainDraft }) {
  const moment = useMoment();
  const body = useMemo(() => bodyOf(draft), [draft]);
  const drain = useInfiniteQuery(drainOf(cluster, moment, body));
  return (
    <section className="panel" aria-labelledby="planned" aria-live="polite">
      <h2 id="planned">In this order</h2>
      <Answer of={drain} what="the drain">
        {({ pages }) => {
          const plan = pages[0]!;
          const groups = pages.flatMap(({ groups: of }) => of);
          return (
            <>
              <p>
                {plan.endsAt === null || plan.lengthSeconds === null
                  ? 'It does not end, or its end is not known.'
                  : `It takes ${sinceText(plan.lengthSeconds).slice(1)}.`}
              </p>
              <Blockers blocking={plan.blocking} />
              <Order plan={plan} />
              <h3>Pods</h3>
              <Pods groups={groups} />
              {drain.hasNextPage && (
                <button type="button" disabled={drain.isFetchingNextPage} onClick={() => void drain.fetchNextPage()}>
                  More pods
                </button>
              )}
              {plan.budgets.total > 0 && (
                <>
                  <h3>Budgets of these pods</h3>
                  <VirtualTable
                    label="Budgets of the drained pods"
                    rows={plan.budgets.items}
                    columns={BUDGET_COLUMNS}
                    keyOf={({ namespace, name }) => `${namespace}/${name}`}
                    total={plan.budgets.total}
                  />
                </>
              )}
              {plan.differences.length > 0 && (
                <>
                  <h3>
                    What <bdi>{plan.taint.text}</bdi> would do differently
                  </h3>
                  <ul className="plain">
                    {plan.differences.map(({ difference, pods, text }) => (
                      <li key={difference}>
                        <Badge>{`${pods} pods`}</Badge> <bdi>{text}</bdi>
                      </li>
                    ))}
                  </ul>
                </>
              )}
              <Assumptions of={plan.assumptions} />
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function Blockers({ blocking }: { readonly blocking: Schemas['DrainList']['blocking'] }) {
  if (blocking.total === 0) return <p>No budget blocks it.</p>;
  return (
    <>
      <h3>What blocks it</h3>
      <ul className="plain">
        {blocking.items.map(({ budget, why, pods, nodes, text }) => (
          <li key={budget}>
            <Badge kind="bad">{why}</Badge> <bdi>{budget}</bdi> blocks {pods} pods on {nodes} nodes: <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

const OUTCOME: Readonly<Record<DrainedNode['outcome'], BadgeKind>> = {
  drained: 'good',
  podsPending: 'warn',
  refused: 'bad',
  blocked: 'bad',
  timedOut: 'bad',
  failed: 'bad',
  stuck: 'bad',
  unknown: 'warn',
  notReached: 'quiet',
};

const point = (time: string): { readonly earliest: number; readonly latest: number } => ({
  earliest: Date.parse(time),
  latest: Date.parse(time),
});

function spansOf({ startsAt, endsAt, outcome }: DrainedNode): readonly Span[] {
  if (startsAt === null) return [];
  const kind = OUTCOME[outcome];
  return [{ start: point(startsAt), end: endsAt === null ? undefined : point(endsAt), kind }];
}

function Order({ plan }: { readonly plan: Schemas['DrainList'] }) {
  const start = Date.parse(plan.startsAt);
  const scale = scaleOf(plan.nodes.items.flatMap(spansOf), start, start + 60_000);
  const since = (time: string | null): string =>
    time === null ? 'never' : sinceText((Date.parse(time) - start) / 1000);
  const columns: readonly Column<DrainedNode>[] = [
    { id: 'node', title: 'Node', width: 'minmax(9rem, 1fr)', cell: ({ node }) => <NodeLink name={node} /> },
    {
      id: 'outcome',
      title: 'Outcome',
      width: '8rem',
      cell: ({ outcome }) => <Badge kind={OUTCOME[outcome]}>{outcome}</Badge>,
    },
    {
      id: 'times',
      title: 'From, to',
      width: '9rem',
      cell: ({ startsAt, endsAt }) => `${since(startsAt)}, ${since(endsAt)}`,
    },
    {
      id: 'lane',
      title: <TimeAxis scale={scale} start={start} />,
      width: 'minmax(14rem, 2fr)',
      cell: (node) => <TimeLane spans={spansOf(node)} scale={scale} now={start} />,
    },
    {
      id: 'pods',
      title: 'Pods',
      width: '9rem',
      cell: ({ counts }) => `${counts.toDelete} of ${counts.pods} leave, ${counts.refusedNow} refused now`,
    },
    {
      id: 'said',
      title: 'What kubectl says',
      width: 'minmax(14rem, 2fr)',
      cell: ({ errors, warnings, withoutNode, unknownBecause, kubeletSilent }) => (
        <>
          {errors.map((text) => (
            <div key={text}>
              <Badge kind="bad">error</Badge> <bdi>{text}</bdi>
            </div>
          ))}
          {warnings.map((text) => (
            <div key={text}>
              <Badge kind="warn">warning</Badge> <bdi>{text}</bdi>
            </div>
          ))}
          {kubeletSilent && <div>The kubelet is silent: pods are not removed.</div>}
          {withoutNode.total > 0 && (
            <div>
              <Badge kind="bad">{`${withoutNode.total} find no node`}</Badge>{' '}
              <bdi>{withoutNode.items[0]?.why ?? ''}</bdi>
            </div>
          )}
          {unknownBecause.map((text) => (
            <div key={text} className="quiet">
              <bdi>{text}</bdi>
            </div>
          ))}
        </>
      ),
    },
  ];
  return (
    <VirtualTable
      label="Nodes in the order of the drain"
      rows={plan.nodes.items}
      columns={columns}
      keyOf={({ node }) => node}
      total={plan.nodes.total}
    />
  );
}

function Pods({ groups }: { readonly groups: readonly Schemas['DrainedPodGroup'][] }) {
  if (groups.length === 0) return <p>No pod is on these nodes.</p>;
  return (
    <table>
      <caption className="sr-only">Pods of the drained nodes in groups</caption>
      <thead>
        <tr>
          <th scope="col" className="number">
            Pods
          </th>
          <th scope="col">Workloads</th>
          <th scope="col">Outcome</th>
          <th scope="col">kubectl drain</th>
          <th scope="col">Eviction API now</th>
          <th scope="col">NoExecute</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ count, workloads, rolling, decision, eviction, noExecute }, at) => (
          <tr key={at}>
            <td className="number">{count}</td>
            <th scope="row">
              <Workloads of={workloads} />
            </th>
            <td>
              {rolling === null ? (
                <Badge>stays</Badge>
              ) : (
                <Badge kind={rolling.outcome === 'evicted' ? 'good' : 'bad'}>{rolling.outcome}</Badge>
              )}
            </td>
            <td>
              {decision === null ? 'not selected' : decision.reason}
              {decision !== null && decision.message !== '' && (
                <div className="quiet">
                  <bdi>{decision.message}</bdi>
                </div>
              )}
            </td>
            <td>
              {eviction === null ? (
                ''
              ) : (
                <>
                  {eviction.allowed === null ? 'not known' : eviction.allowed ? 'allows it' : 'refuses it'}
                  {eviction.cause !== null && (
                    <div className="quiet">
                      <bdi>{eviction.cause}</bdi>
                    </div>
                  )}
                </>
              )}
            </td>
            <td>
              {noExecute.action}
              {noExecute.afterSeconds !== null && ` ${noExecute.afterSeconds} s`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
