import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Answer } from '../../ui/answer.js';
import { Workload, workloadText } from '../../ui/workload.js';
import { exactTime } from '../../ui/time.js';
import { recordsOf, type TrailRecord } from '../trail/queries.js';
import { whenText } from '../trail/words.js';
import { approvalText, Statuses } from './change-details.js';
import { EvictionAxis } from './eviction-axis.js';
import { Guardrails } from './guardrails.js';
import { changeOf, type Outcome } from './queries.js';
import { RuleChange } from './rule-change.js';
import { changeText, Difference, StatusBadge } from './words.js';
import './report.css';

/** A page of records is 500; more than this many pages are left to the export. */
const MOST_PAGES = 4;

/** One maintenance on paper: what was asked, foreseen, approved, written, and what the trail has of it. */
export default function ChangeReport({ cluster, id }: { readonly cluster: string; readonly id: string }) {
  const answer = useQuery(changeOf(cluster, id));
  return (
    <article className="panel report">
      <div className="actions no-print">
        <button type="button" className="primary" onClick={() => window.print()}>
          Print
        </button>
        <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'changes' }} search={{ change: id }}>
          Back to the change
        </Link>
      </div>
      <Answer of={answer} what="the change">
        {(outcome) =>
          outcome.change === null ? (
            <p>There is no such change.</p>
          ) : (
            <Report cluster={cluster} outcome={outcome} change={outcome.change} />
          )
        }
      </Answer>
    </article>
  );
}

function Report({
  cluster,
  outcome,
  change,
}: {
  readonly cluster: string;
  readonly outcome: Outcome;
  readonly change: NonNullable<Outcome['change']>;
}) {
  const { approval, application } = change;
  const { evictions, workloads, warnings } = outcome.effects;
  return (
    <>
      <h1>
        <bdi>{changeText(change)}</bdi>
      </h1>
      <dl className="facts">
        <dt>Cluster</dt>
        <dd>
          <bdi>{cluster}</bdi>
        </dd>
        <dt>Change</dt>
        <dd className="mono">{change.id}</dd>
        <dt>{change.revision === null ? 'Asked' : 'Made'}</dt>
        <dd>
          <Exact at={change.madeAt} /> by <bdi>{change.by.name}</bdi> ({change.by.kind})
          {change.onBehalfOf !== null && (
            <>
              {' '}
              for <bdi>{change.onBehalfOf}</bdi>
            </>
          )}
        </dd>
        <dt>Reason</dt>
        <dd>
          <bdi>{change.reason}</bdi> {change.link !== null && <bdi>{change.link}</bdi>}
        </dd>
        <dt>Status</dt>
        <dd>
          <StatusBadge status={change.status} />
        </dd>
        {change.undoneBy !== null && (
          <>
            <dt>Reverted by</dt>
            <dd className="mono">{change.undoneBy}</dd>
          </>
        )}
        {change.expiresAt !== null && (
          <>
            <dt>Reverts by itself</dt>
            <dd>
              <Exact at={change.expiresAt} />
            </dd>
          </>
        )}
      </dl>
      <h2>1. What was foreseen</h2>
      {outcome.deviceTaintRule === null ? (
        <EvictionAxis evictions={evictions} />
      ) : (
        <RuleChange of={outcome.deviceTaintRule} />
      )}
      {workloads.counts.lost + workloads.counts.gained > 0 && (
        <p>
          {workloads.counts.lost} workloads lose nodes ({workloads.counts.becameInfeasible} their last one),{' '}
          {workloads.counts.gained} gain some.
        </p>
      )}
      {evictions.byWorkload.items.length > 0 && (
        <ul>
          {evictions.byWorkload.items.map(({ workload, now, after }) => (
            <li key={workloadText(workload)}>
              <Workload of={workload} />: {now} evicted at once, {after} later
            </li>
          ))}
        </ul>
      )}
      {warnings.items.map(({ message }, at) => (
        <p key={at}>
          Warning: <bdi>{message}</bdi>
        </p>
      ))}
      <h3>Guardrails</h3>
      <Guardrails results={outcome.guardrails} />
      <h2>2. Approval</h2>
      {approval === null ? (
        <p>None was needed.</p>
      ) : (
        <>
          <p>
            <bdi>{approvalText(approval)}</bdi>.
          </p>
          <ul>
            {approval.votes.map(({ decision, by, at, reason, counts }) => (
              <li key={`${by.name} ${at}`}>
                <Exact at={at} />: <bdi>{by.name}</bdi> {decision === 'approve' ? 'approved' : 'rejected'}
                {!counts && ' (an earlier preview)'}: <bdi>{reason}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>3. {outcome.deviceTaintRule === null ? 'Node by node' : 'The rule'}</h2>
      <Statuses change={change} />
      {application === null ? (
        <p>The service did not write it.</p>
      ) : (
        <p>
          Application: {application.state}, asked by <bdi>{application.by.name}</bdi> at{' '}
          <Exact at={application.askedAt} />
          {application.endedAt !== null && (
            <>
              , ended <Exact at={application.endedAt} />
            </>
          )}
          {application.message !== null && (
            <>
              : <bdi>{application.message}</bdi>
            </>
          )}
          .
        </p>
      )}
      {outcome.deviceTaintRule === null && <NodeRows nodes={outcome.nodes} />}
      {outcome.nodesOmitted > 0 && <p>{outcome.nodesOmitted} more nodes are not listed.</p>}
      <h2>4. Records of the trail</h2>
      <Records cluster={cluster} change={change.id} />
    </>
  );
}

function NodeRows({ nodes }: { readonly nodes: Outcome['nodes'] }) {
  return (
    <table>
      <caption className="sr-only">The change, node by node</caption>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Change</th>
          <th scope="col">In the cluster</th>
          <th scope="col">Applied</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <tr key={node.node}>
            <th scope="row">
              <bdi>{node.node}</bdi>
            </th>
            <td>
              <Difference difference={node.difference} labels={node.labels} />
            </td>
            <td>
              {node.status ?? node.outcome}
              {node.evidence !== null && (
                <>
                  {' '}
                  (
                  {node.evidence.auditID !== null ? (
                    <bdi>audit event {node.evidence.auditID}</bdi>
                  ) : (
                    `revision ${node.evidence.revision ?? '?'}`
                  )}
                  {node.evidence.at !== null && (
                    <>
                      , <Exact at={node.evidence.at} />
                    </>
                  )}
                  )
                </>
              )}
            </td>
            <td>
              {node.application === null ? (
                ''
              ) : (
                <>
                  {node.application.state}
                  {node.application.at !== null && (
                    <>
                      , <Exact at={node.application.at} />
                    </>
                  )}
                  {node.application.message !== null && (
                    <>
                      : <bdi>{node.application.message}</bdi>
                    </>
                  )}
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Exact({ at }: { readonly at: string }) {
  return <time dateTime={at}>{exactTime(at)}</time>;
}

function Records({ cluster, change }: { readonly cluster: string; readonly change: string }) {
  const records = useInfiniteQuery(recordsOf(cluster, { change, order: 'oldest' }, 500));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = records;
  const isMore = hasNextPage && !isFetchingNextPage && (data?.pages.length ?? 0) < MOST_PAGES;
  useEffect(() => {
    if (isMore) void fetchNextPage();
  }, [isMore, fetchNextPage]);
  return (
    <Answer of={records} what="the trail">
      {({ pages }) => (
        <>
          <table>
            <caption className="sr-only">Records of the trail</caption>
            <thead>
              <tr>
                <th scope="col" className="number">
                  No.
                </th>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
              </tr>
            </thead>
            <tbody>
              {pages
                .flatMap(({ items }) => items)
                .map((record) => (
                  <RecordRow key={record.sequence} record={record} />
                ))}
            </tbody>
          </table>
          {hasNextPage && !isMore && !isFetchingNextPage && <p>More records are in the export of the trail.</p>}
        </>
      )}
    </Answer>
  );
}

function RecordRow({ record }: { readonly record: TrailRecord }) {
  const { sequence, when, by, actor, kind, node, summary, hash } = record;
  return (
    <tr>
      <td className="number">{sequence}</td>
      <td>{whenText(when)}</td>
      <td>
        <bdi>{by?.username ?? actor?.program ?? actor?.class ?? ''}</bdi>
      </td>
      <td>
        {kind}
        {node !== null && (
          <>
            {' '}
            <bdi>{node}</bdi>
          </>
        )}
        : <bdi>{summary}</bdi>
        <div className="quiet mono hash">{hash}</div>
      </td>
    </tr>
  );
}
