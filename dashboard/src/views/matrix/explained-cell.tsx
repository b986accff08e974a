import { NodeLink } from '../../ui/node-link.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { TaintText } from '../../ui/taint.js';
import { outcomeOf, workloadText, type Column, type Matrix, type Row } from './matrix-model.js';
import { VerdictText } from './verdict-text.js';

const CORDON = 'node.kubernetes.io/unschedulable';

/** Which taint, which toleration, in which field. */
export function ExplainedCell({
  matrix,
  row,
  node,
  column,
}: {
  readonly matrix: Matrix;
  readonly row: Row;
  /** The node; undefined for all of the group. */
  readonly node: string | undefined;
  readonly column: Column;
}) {
  const { group: nodes } = row;
  const { group: pods } = column;
  const outcome = outcomeOf(matrix, nodes, pods);
  const decisive = new Set(outcome.taints);
  return (
    <section className="panel matrix-why" aria-label="Why" aria-live="polite">
      <h2>
        <VerdictText verdict={outcome.verdict} />
      </h2>
      <p>{sentence(outcome)}</p>
      <dl className="matrix-sides">
        <dt>Nodes</dt>
        <dd>{node === undefined ? <NodesText row={row} /> : <NodeLink name={node} />}</dd>
        <dt>Pods</dt>
        <dd>
          <bdi>{column.label}</bdi>, {column.pods.toLocaleString('en')} {column.pods === 1 ? 'pod' : 'pods'}
        </dd>
      </dl>
      {nodes.taints.length === 0 ? (
        <p>These nodes have no taint, so every pod may go there as far as taints decide it.</p>
      ) : (
        <table>
          <caption>Taint by taint</caption>
          <thead>
            <tr>
              <th scope="col">Taint of the node</th>
              <th scope="col">Toleration of the pod</th>
            </tr>
          </thead>
          <tbody>
            {nodes.taints.map((at, index) => {
              const taint = matrix.taints[at]!;
              const found = pods.tolerating[at] ?? -1;
              // The service lists the taint of a cordon last, if the node does not have it.
              const isCordon = nodes.unschedulable && taint.key === CORDON && index === nodes.taints.length - 1;
              return (
                <tr key={at} data-decides={decisive.has(at)}>
                  <th scope="row">
                    <TaintText taint={taint} />
                    <br />
                    <code className="quiet">{isCordon ? 'spec.unschedulable' : `spec.taints[${index}]`}</code>
                    {decisive.has(at) && <span className="badge matrix-decides">decides</span>}
                  </th>
                  <td>
                    {found < 0 ? (
                      'none matches'
                    ) : (
                      <>
                        <bdi className="mono">{pods.tolerations[found]?.text}</bdi>
                        <br />
                        <code className="quiet">{`spec.tolerations[${found}]`}</code>
                      </>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <details>
        <summary>
          {column.members.length.toLocaleString('en')} {column.members.length === 1 ? 'workload' : 'workloads'}
        </summary>
        <VirtualTable
          label="Workloads with these tolerations"
          rows={column.members}
          keyOf={String}
          columns={[
            {
              id: 'workload',
              title: 'Workload',
              width: 'minmax(12rem, 1fr)',
              cell: (at) => <bdi>{workloadText(pods.members[at]!)}</bdi>,
            },
            { id: 'pods', title: 'Pods', width: '4rem', number: true, cell: (at) => pods.memberPods[at] },
          ]}
        />
      </details>
      <details>
        <summary>
          {pods.tolerations.length} {pods.tolerations.length === 1 ? 'toleration' : 'tolerations'}
        </summary>
        <ol className="matrix-tolerations" start={0}>
          {pods.tolerations.map((toleration, at) => (
            <li key={at}>
              <bdi className="mono">{toleration.text}</bdi>
            </li>
          ))}
        </ol>
      </details>
      <details>
        <summary>
          {row.names.length.toLocaleString('en')} {row.names.length === 1 ? 'node' : 'nodes'}
        </summary>
        <VirtualTable
          label="Nodes with these taints"
          rows={row.names}
          keyOf={(name) => name}
          columns={[{ id: 'node', title: 'Node', width: '1fr', cell: (name) => <NodeLink name={name} /> }]}
        />
      </details>
    </section>
  );
}

/** The first node of a group, and how many more there are. */
export function NodesText({ row }: { readonly row: Row }) {
  const [first, ...more] = row.names;
  return (
    <>
      {first !== undefined && <NodeLink name={first} />}
      {more.length > 0 && ` and ${more.length.toLocaleString('en')} more`}
    </>
  );
}

function sentence({ verdict, tolerationSeconds, refusesNew }: ReturnType<typeof outcomeOf>): string {
  switch (verdict) {
    case 'allowed':
      return 'No taint keeps these pods off these nodes.';
    case 'discouraged':
      return 'A PreferNoSchedule taint is not tolerated: the scheduler ranks these nodes lower, but may use them.';
    case 'refused':
      return 'A taint is not tolerated: the scheduler places no new pod there; running pods stay.';
    case 'evicted': {
      const when = (tolerationSeconds ?? 0) === 0 ? 'at once' : `after ${tolerationSeconds} s`;
      return `Running pods are evicted ${when}${refusesNew ? ', and no new pod is placed there' : '; new pods may be placed there until then'}.`;
    }
  }
}
