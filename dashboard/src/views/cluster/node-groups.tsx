import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Moment } from '../../api/moment.js';
import { nodeGroupsOf } from '../../api/queries.js';
import type { Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { counted } from '../../ui/format.js';
import { NodeLink } from '../../ui/node-link.js';
import { TaintText } from '../../ui/taint.js';
import { useAddress } from '../../ui/use-address.js';
import { VirtualTable } from '../../ui/virtual-table.js';

type Group = Schemas['NodeGroups']['groups'][number];

interface Shown {
  readonly cluster: string;
  readonly moment: Moment;
}

/** The nodes by taints or by pool; each group opens to its nodes. */
export function NodeGroups({ cluster, moment }: Shown) {
  const [address, set] = useAddress('by');
  const by = address.by === 'pool' ? 'pool' : 'taints';
  const found = useQuery(nodeGroupsOf(cluster, moment, by));
  return (
    <section className="panel">
      <div className="toolbar">
        <h2>Nodes by {by}</h2>
        <label className="select-field">
          <span>Group by</span>
          <select value={by} onChange={({ target }) => set({ by: target.value === 'pool' ? 'pool' : '' })}>
            <option value="taints">taints</option>
            <option value="pool">pool</option>
          </select>
        </label>
      </div>
      <Answer of={found} what="the nodes">
        {({ groups }) => (
          <table>
            <caption className="sr-only">Nodes by {by}</caption>
            <thead>
              <tr>
                <th scope="col">{by === 'taints' ? 'Taints' : 'Pool'}</th>
                <th scope="col">Nodes</th>
                <th scope="col">Requested</th>
              </tr>
            </thead>
            <tbody>
              {groups.map((group) => (
                <GroupRow
                  key={JSON.stringify([group.taints?.map(({ text }) => text), group.pools, group.label])}
                  group={group}
                />
              ))}
            </tbody>
          </table>
        )}
      </Answer>
    </section>
  );
}

function GroupRow({ group }: { readonly group: Group }) {
  const { taints, pools, label, nodes, ready, unschedulable, room, names } = group;
  const [isOpen, setOpen] = useState(false);
  return (
    <tr>
      <th scope="row">
        {taints?.length === 0 && <span className="quiet">no taint</span>}
        {taints?.map((taint) => (
          <div key={taint.text}>
            <TaintText taint={taint} />
          </div>
        ))}
        {pools?.length === 0 && <span className="quiet">no pool</span>}
        {pools !== null && <bdi>{pools.join(', ')}</bdi>}
        {label !== null && (
          <div className="quiet">
            by the label <bdi>{label}</bdi>
          </div>
        )}
      </th>
      <td>
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{counted(nodes, 'node')}</summary>
          {isOpen && (
            <VirtualTable
              label="Nodes of the group"
              rows={namesIn(names)}
              keyOf={(name) => name}
              columns={[
                {
                  id: 'node',
                  title: 'Node',
                  width: 'minmax(9rem, 1fr)',
                  cell: (name) => <NodeLink name={name} />,
                },
              ]}
            />
          )}
        </details>
        {ready < nodes && <Badge kind="bad">{nodes - ready} not ready</Badge>}
        {unschedulable > 0 && <Badge kind="warn">{unschedulable} cordoned</Badge>}
      </td>
      <td>
        {room.map(({ resource, allocatable, requested }) => (
          <div key={resource} className="quiet">
            {resource} {allocatable === 0 ? '–' : `${Math.round((requested / allocatable) * 100)} %`}
          </div>
        ))}
      </td>
    </tr>
  );
}

/** The names of a front-coded list. */
function namesIn({ shared, rest }: Group['names']): readonly string[] {
  let former = '';
  return rest.map((end, at) => (former = former.slice(0, shared[at]) + end));
}
