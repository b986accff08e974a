import { Badge, type BadgeKind } from '../../ui/badge.js';
import { TaintText } from '../../ui/taint.js';
import type { Schemas } from '../../api/service.js';

const STATUS: Readonly<Record<Schemas['TaintChangeStatus'], readonly [BadgeKind, string]>> = {
  recorded: ['quiet', 'not confirmed yet'],
  confirmed: ['good', 'confirmed'],
  notApplied: ['bad', 'not applied'],
  overwritten: ['bad', 'overwritten'],
  mixed: ['warn', 'nodes differ'],
  awaitingApproval: ['warn', 'waits for approval'],
  rejected: ['bad', 'rejected'],
  approvalExpired: ['bad', 'not approved in time'],
};

export function StatusBadge({ status }: { readonly status: Schemas['TaintChangeStatus'] }) {
  const [kind, text] = STATUS[status];
  return <Badge kind={kind}>{text}</Badge>;
}

const APPLICATION: Readonly<Record<Schemas['ApplicationState'], readonly [BadgeKind, string]>> = {
  running: ['warn', 'being applied'],
  done: ['good', 'applied'],
  stopped: ['bad', 'application stopped'],
  cancelled: ['bad', 'application cancelled'],
};

export function ApplicationBadge({ state }: { readonly state: Schemas['ApplicationState'] }) {
  const [kind, text] = APPLICATION[state];
  return <Badge kind={kind}>{text}</Badge>;
}

const NODE_APPLICATION: Readonly<Record<Schemas['ApplicationNodeState'], BadgeKind>> = {
  waiting: 'quiet',
  writing: 'warn',
  written: 'good',
  unchanged: 'good',
  admitted: 'good',
  refused: 'bad',
  failed: 'bad',
  unknown: 'bad',
};

export function NodeApplicationBadge({ state }: { readonly state: Schemas['ApplicationNodeState'] }) {
  return <Badge kind={NODE_APPLICATION[state]}>{state}</Badge>;
}

/** What a change does to a node: what is added, removed, and what has another value. */
export function Difference({
  difference,
  labels,
}: {
  readonly difference: Schemas['TaintDifference'] | null;
  readonly labels?: Schemas['LabelDifference'] | null;
}) {
  if (difference === null && (labels === null || labels === undefined)) return <span className="quiet">nothing</span>;
  return (
    <ul className="difference">
      {difference?.added.map((taint) => (
        <li key={`+${taint.text}`}>
          + <TaintText taint={taint} />
        </li>
      ))}
      {difference?.removed.map((taint) => (
        <li key={`-${taint.text}`}>
          − <TaintText taint={taint} />
        </li>
      ))}
      {difference?.changed.map(({ before, after }) => (
        <li key={`~${before.text}`}>
          <TaintText taint={before} /> → <TaintText taint={after} />
        </li>
      ))}
      {difference !== null && difference.cordon !== null && <li>{difference.cordon}</li>}
      {labels?.set.map(({ key, before, after }) => (
        <li key={`l${key}`} className="mono">
          + <bdi>{`${key}=${after}`}</bdi>
          {before !== null && (
            <span className="quiet">
              {' '}
              (was <bdi>{before}</bdi>)
            </span>
          )}
        </li>
      ))}
      {labels?.removed.map(({ key, before }) => (
        <li key={`l${key}`} className="mono">
          − <bdi>{`${key}=${before}`}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** A change as it was asked, in one line. */
export function requestText({
  nodes,
  labelSelector,
  allNodes,
  taints,
  labels,
  unschedulable,
}: Schemas['AskedTaintChange']): string {
  const what = [...taints, ...labels, ...(unschedulable === null ? [] : [unschedulable ? 'cordon' : 'uncordon'])];
  const where = allNodes
    ? 'all nodes'
    : labelSelector !== null
      ? `nodes with ${labelSelector}`
      : nodes === null
        ? ''
        : nodes.length === 1
          ? nodes[0]!
          : `${nodes.length} nodes`;
  return [what.join(' '), where].filter((part) => part !== '').join(' on ');
}

/** What a change is about, in one line. */
export const changeText = ({ request, deviceTaintRule }: Schemas['TaintChange']): string =>
  deviceTaintRule === null ? requestText(request) : `DeviceTaintRule ${deviceTaintRule}`;

/** A link that the author gave: followed only if it leads to a page. */
export function AuthorsLink({ link }: { readonly link: string | null }) {
  if (link === null || link === '') return null;
  if (!/^https?:\/\//i.test(link)) return <bdi>{link}</bdi>;
  return (
    <a href={link} rel="noreferrer noopener" target="_blank">
      <bdi>{link}</bdi>
    </a>
  );
}
