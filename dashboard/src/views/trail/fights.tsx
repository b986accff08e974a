import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { NodeLink } from '../../ui/node-link.js';
import { exactTime } from '../../ui/time.js';
import { fightsOf } from './queries.js';

const WINDOWS = ['5m', '1h', '24h'] as const;

/** Writers who undo each other's changes. */
export function Fights({
  cluster,
  node,
  taintKey,
  filter,
}: {
  readonly cluster: string;
  readonly node: string | undefined;
  readonly taintKey: string | undefined;
  readonly filter: (more: { readonly node?: string; readonly key?: string; readonly record?: number }) => void;
}) {
  const [window, setWindow] = useState<string>('1h');
  const fights = useQuery(
    fightsOf(cluster, {
      ...(node !== undefined && { node }),
      ...(taintKey !== undefined && { key: taintKey }),
      window,
      min: 3,
    }),
  );
  return (
    <section className="panel" aria-labelledby="fights">
      <h2 id="fights">Fights</h2>
      <label className="no-print">
        At least three turns within{' '}
        <select value={window} onChange={({ target }) => setWindow(target.value)}>
          {WINDOWS.map((length) => (
            <option key={length}>{length}</option>
          ))}
        </select>
      </label>
      <Answer of={fights} what="the fights">
        {({ fights: items, total }) =>
          items.length === 0 ? (
            <p>Nobody undoes the changes of another.</p>
          ) : (
            <>
              <table>
                <caption className="sr-only">Writers who undo each other’s changes</caption>
                <thead>
                  <tr>
                    <th scope="col">Node</th>
                    <th scope="col">Over</th>
                    <th scope="col">Who</th>
                    <th scope="col" className="number">
                      Turns
                    </th>
                    <th scope="col">From, to</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((fight) => (
                    <tr key={`${fight.node} ${fight.key ?? ''} ${fight.first}`}>
                      <th scope="row">
                        <NodeLink name={fight.node} />{' '}
                        <button
                          type="button"
                          aria-label={`Records of the fight on ${fight.node}`}
                          onClick={() => filter({ node: fight.node, ...(fight.key !== null && { key: fight.key }) })}
                        >
                          Records
                        </button>
                      </th>
                      <td className="taint">
                        <bdi>{fight.key === null ? 'the cordon' : `${fight.key}:${fight.effect ?? ''}`}</bdi>
                      </td>
                      <td>
                        {fight.writers.map(({ name, identifiedBy, changes }) => (
                          <div key={`${name ?? ''} ${identifiedBy}`}>
                            <bdi>{name ?? 'not known'}</bdi> ×{changes}{' '}
                            {identifiedBy !== 'user' && <Badge kind="warn">{identifiedBy}</Badge>}
                          </div>
                        ))}
                        {!fight.proven && <span className="quiet">not proven</span>}
                      </td>
                      <td className="number">{fight.turns}</td>
                      <td>
                        {exactTime(fight.first)}, {exactTime(fight.last)}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {total > items.length && <p className="quiet">and {total - items.length} earlier ones</p>}
            </>
          )
        }
      </Answer>
    </section>
  );
}
