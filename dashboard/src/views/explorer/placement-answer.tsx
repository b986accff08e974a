import type { Schemas } from '../../api/service.js';
import { Badge } from '../../ui/badge.js';
import { NodeLink } from '../../ui/node-link.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { Command } from './gate-answer.js';
import { ProposedChange } from './proposed-change.js';

type Placement = Schemas['Placement'];
type Verdict = Placement['groups'][number]['verdict'];

const KINDS = { feasible: 'good', infeasible: 'bad', unknown: 'warn' } as const;
const WORDS: Readonly<Record<Verdict, string>> = { feasible: '✓ may', infeasible: '✕ may not', unknown: '? not known' };

/** Which nodes can take the pod, why the others cannot, and which is best. */
export function PlacementAnswer({
  placement,
  text,
  onAsk,
}: {
  readonly placement: Placement;
  /** The manifest, if one was sent. */
  readonly text: string | undefined;
  readonly onAsk: (text: string) => void;
}) {
  const { summary, pod, message, groups, smallestFixes, remainingItemCount } = placement;
  return (
    <>
      <section className="panel" aria-labelledby="groups">
        <h2 id="groups">
          Nodes for{' '}
          <bdi>
            {pod.namespace}/{pod.name}
          </bdi>
        </h2>
        <p>
          {summary.feasible.toLocaleString('en')} of {summary.nodes.toLocaleString('en')} nodes can take it
          {summary.unknown > 0 && `, of ${summary.unknown.toLocaleString('en')} it is not known`}.
        </p>
        {message !== null && <p className="mono">{message}</p>}
        <table>
          <caption className="sr-only">Groups of nodes</caption>
          <thead>
            <tr>
              <th scope="col">Verdict</th>
              <th scope="col">Nodes</th>
              <th scope="col">Reasons</th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ verdict, count, nodes, reasons }, at) => (
              <tr key={at}>
                <th scope="row">
                  <Badge kind={KINDS[verdict]}>{WORDS[verdict]}</Badge>
                </th>
                <td>
                  <details>
                    <summary>{count.toLocaleString('en')}</summary>
                    <VirtualTable
                      label="Nodes of the group"
                      rows={nodes}
                      keyOf={(name) => name}
                      columns={[{ id: 'node', title: 'Node', width: '1fr', cell: (name) => <NodeLink name={name} /> }]}
                    />
                  </details>
                </td>
                <td>
                  <ul className="explorer-reasons">
                    {(reasons ?? []).map((reason, index) => (
                      <li key={index}>
                        <bdi>{reason.message}</bdi> <span className="quiet">{reason.plugin}</span>
                        {reason.fields.map(({ object, path }, field) => (
                          <span key={field} className="quiet">
                            {' '}
                            · {object} <code>{path}</code>
                          </span>
                        ))}
                      </li>
                    ))}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {(remainingItemCount ?? 0) > 0 && <p className="quiet">{remainingItemCount} more groups are not shown.</p>}
      </section>
      {smallestFixes !== null && smallestFixes.length > 0 && (
        <section className="panel" aria-labelledby="fixes">
          <h2 id="fixes">What would open more nodes</h2>
          {smallestFixes.map(({ object, changes, count, patch }, at) => (
            <details key={at} className="explorer-fix" open={at === 0}>
              <summary>
                {object}: {changes.map((change) => change.summary).join('; ')}{' '}
                <span className="quiet">
                  opens {count.toLocaleString('en')} {count === 1 ? 'node' : 'nodes'}
                </span>
              </summary>
              {changes.map(({ condition, command }, index) => (
                <div key={index}>
                  {condition !== null && <p>{condition}</p>}
                  {command !== null && <Command command={command} />}
                </div>
              ))}
              {patch !== null && text !== undefined && <ProposedChange text={text} patch={patch} onAsk={onAsk} />}
              {text === undefined && changes.map(({ yaml }, index) => yaml !== null && <pre key={index}>{yaml}</pre>)}
            </details>
          ))}
        </section>
      )}
      {placement.ranking !== null && placement.ranking.nodes.length > 0 && <Ranking ranking={placement.ranking} />}
    </>
  );
}

function Ranking({ ranking }: { readonly ranking: NonNullable<Placement['ranking']> }) {
  const { nodes, nodeCount, tied, difference } = ranking;
  return (
    <section className="panel" aria-labelledby="ranking">
      <h2 id="ranking">Ranking</h2>
      <p>
        The best {nodes.length} of {nodeCount.toLocaleString('en')} nodes
        {tied > 1 && `; ${tied.toLocaleString('en')} share the first rank, and the scheduler picks one at random`}.
        {difference !== null &&
          difference.decidedBy !== null &&
          ` ${difference.decidedBy} decides between the first two.`}
      </p>
      <ol className="explorer-reasons">
        {nodes.map(({ node, rank, total, scores }) => (
          <li key={node} value={rank}>
            <NodeLink name={node} /> <strong>{total}</strong>
            <details>
              <summary>
                Scores<span className="sr-only"> of {node}</span>
              </summary>
              <table>
                <caption className="sr-only">Scores of {node}</caption>
                <thead>
                  <tr>
                    <th scope="col">Plugin</th>
                    <th scope="col">Arithmetic</th>
                    <th scope="col">Terms</th>
                  </tr>
                </thead>
                <tbody>
                  {scores.map(({ plugin, weight, normalized, weighted, formula, terms }) => (
                    <tr key={plugin}>
                      <th scope="row">{plugin}</th>
                      <td className="number">
                        {normalized === null ? 'does not apply' : `${normalized} × ${weight} = ${weighted ?? '?'}`}
                      </td>
                      <td>
                        {formula !== null && <div className="quiet">{formula}</div>}
                        {terms.map(({ of, amounts, score }, at) => (
                          <div key={at}>
                            <bdi>{of}</bdi>:{' '}
                            {Object.entries(amounts)
                              .map(([name, amount]) => `${name} ${amount}`)
                              .join(', ')}{' '}
                            → {score}
                          </div>
                        ))}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
