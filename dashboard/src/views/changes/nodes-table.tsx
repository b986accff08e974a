import type { Schemas } from '../../api/service.js';
import { Badge } from '../../ui/badge.js';
import { NodeLink } from '../../ui/node-link.js';
import { Time } from '../../ui/time.js';
import { VirtualTable, type Column } from '../../ui/virtual-table.js';
import { Difference, NodeApplicationBadge, StatusBadge } from './words.js';

type Node = Schemas['ChangedNode'];

const OUTCOME = { changed: 'good', unchanged: 'quiet', refused: 'bad' } as const;

const NAME: Column<Node> = {
  id: 'node',
  title: 'Node',
  width: 'minmax(9rem, 1fr)',
  cell: ({ node }) => <NodeLink name={node} />,
};

const CHANGE: Column<Node> = {
  id: 'change',
  title: 'Change',
  width: 'minmax(12rem, 2fr)',
  cell: ({ difference, labels, errors }) =>
    errors.length > 0 ? (
      <ul className="plain">
        {errors.map(({ message }, at) => (
          <li key={at}>
            <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
    ) : (
      <Difference difference={difference} labels={labels} />
    ),
};

const OUTCOMES: Column<Node> = {
  id: 'outcome',
  title: 'Outcome',
  width: '7rem',
  cell: ({ outcome }) => <Badge kind={OUTCOME[outcome]}>{outcome}</Badge>,
};

const STATUS: Column<Node> = {
  id: 'status',
  title: 'In the cluster',
  width: 'minmax(11rem, 1fr)',
  cell: ({ status, outcome, evidence }) =>
    status === null ? (
      <Badge kind={OUTCOME[outcome]}>{outcome}</Badge>
    ) : (
      <>
        <StatusBadge status={status} /> <Evidence evidence={evidence} />
      </>
    ),
};

const APPLICATION: Column<Node> = {
  id: 'application',
  title: 'Applied',
  width: 'minmax(11rem, 1.5fr)',
  cell: ({ application }) => <NodeApplicationText application={application} />,
};

export function NodeApplicationText({ application }: { readonly application: Schemas['NodeApplication'] | null }) {
  if (application === null) return <span className="quiet">not by the service</span>;
  const { state, message, warnings, attempts, at } = application;
  return (
    <>
      <NodeApplicationBadge state={state} /> {at !== null && <Time at={at} />}
      {attempts > 1 && <span className="quiet"> {attempts} attempts</span>}
      {message !== null && (
        <div>
          <bdi>{message}</bdi>
        </div>
      )}
      {warnings.map((warning, index) => (
        <div key={index}>
          <Badge kind="warn">warning</Badge> <bdi>{warning}</bdi>
        </div>
      ))}
    </>
  );
}

/** What proves the status of a change on a node. */
export function Evidence({ evidence }: { readonly evidence: Schemas['ChangeEvidence'] | null }) {
  if (evidence === null) return null;
  const { auditID, revision, at } = evidence;
  return (
    <span className="quiet">
      {auditID !== null ? (
        <>
          audit event <bdi className="mono">{auditID}</bdi>
        </>
      ) : (
        revision !== null && `revision ${revision}`
      )}{' '}
      {at !== null && <Time at={at} />}
    </span>
  );
}

/** What a change would do, or did, node by node. */
export function NodesTable({
  nodes,
  omitted,
  made,
}: {
  readonly nodes: readonly Node[];
  readonly omitted: number;
  /** Whether the change was made: then each node has a status. */
  readonly made: boolean;
}) {
  const applied = nodes.some(({ application }) => application !== null);
  return (
    <>
      <VirtualTable
        label="The change, node by node"
        rows={nodes}
        columns={[NAME, CHANGE, made ? STATUS : OUTCOMES, ...(applied ? [APPLICATION] : [])]}
        keyOf={({ node }) => node}
        total={nodes.length + omitted}
      />
      {omitted > 0 && (
        <p className="quiet">{omitted} more nodes are not listed; the numbers above cover all of them.</p>
      )}
    </>
  );
}
