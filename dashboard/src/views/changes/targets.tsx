import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { Answer } from '../../ui/answer.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { namesIn, TARGETS, type Draft, type Targets } from './draft.js';
import { nodeMatrixOf, nodeSets, type NodeSet } from './queries.js';

const TITLES: Readonly<Record<Targets, string>> = {
  list: 'by name',
  selector: 'by label selector',
  set: 'by their taints',
  all: 'all nodes',
};

interface Editing {
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
}

/** Which nodes change. */
export function TargetsField({ cluster, draft, change }: Editing & { readonly cluster: string }) {
  const id = useId();
  return (
    <fieldset>
      <legend>Nodes</legend>
      <div className="choices">
        {TARGETS.map((by) => (
          <label key={by}>
            <input type="radio" name={id} checked={draft.by === by} onChange={() => change({ by })} /> {TITLES[by]}
          </label>
        ))}
      </div>
      {draft.by === 'selector' && (
        <label className="wide">
          Label selector
          <input
            className="mono"
            value={draft.selector}
            placeholder="pool=batch,zone in (a,b)"
            onChange={({ target }) => change({ selector: target.value })}
          />
        </label>
      )}
      {draft.by === 'list' && <ByName cluster={cluster} draft={draft} change={change} />}
      {draft.by === 'set' && <BySet cluster={cluster} draft={draft} change={change} />}
    </fieldset>
  );
}

function ByName({ cluster, draft, change }: Editing & { readonly cluster: string }) {
  const matrix = useQuery(nodeMatrixOf(cluster));
  const [filter, setFilter] = useState('');
  const rows = useMemo(() => {
    const all =
      matrix.data === undefined
        ? []
        : nodeSets(matrix.data).flatMap(({ text, names }) => names.map((name) => ({ name, text })));
    return all
      .filter(({ name, text }) => name.includes(filter) || text.includes(filter))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }, [matrix.data, filter]);
  const chosen = new Set(namesIn(draft));
  const toggle = (name: string): void => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    change({ nodes: [...next].join('\n') });
  };
  return (
    <>
      <label className="wide">
        Node names
        <textarea
          className="code"
          rows={3}
          value={draft.nodes}
          placeholder="one a line, or choose below"
          onChange={({ target }) => change({ nodes: target.value })}
        />
      </label>
      <details>
        <summary>Choose from the nodes of the cluster ({chosen.size} chosen)</summary>
        <Answer of={matrix} what="the nodes">
          {() => (
            <>
              <div className="choices">
                <label>
                  Filter <input value={filter} onChange={({ target }) => setFilter(target.value)} />
                </label>
                <button
                  type="button"
                  onClick={() =>
                    change({ nodes: [...new Set([...chosen, ...rows.map(({ name }) => name)])].join('\n') })
                  }
                >
                  Choose these {rows.length}
                </button>
                <button type="button" onClick={() => change({ nodes: '' })}>
                  Choose none
                </button>
              </div>
              <VirtualTable
                label="Nodes to choose from"
                rows={rows}
                keyOf={({ name }) => name}
                columns={[
                  {
                    id: 'chosen',
                    title: 'Node',
                    width: 'minmax(10rem, 1fr)',
                    cell: ({ name }) => (
                      <label className="check">
                        <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
                        <bdi>{name}</bdi>
                      </label>
                    ),
                  },
                  {
                    id: 'taints',
                    title: 'Taints',
                    width: 'minmax(10rem, 2fr)',
                    cell: ({ text }) => <bdi className="taint">{text === '' ? 'none' : text}</bdi>,
                  },
                ]}
              />
            </>
          )}
        </Answer>
      </details>
    </>
  );
}

const count = (set: NodeSet): string => `${set.names.length} ${set.names.length === 1 ? 'node' : 'nodes'}`;

function BySet({ cluster, draft, change }: Editing & { readonly cluster: string }) {
  const matrix = useQuery(nodeMatrixOf(cluster));
  return (
    <Answer of={matrix} what="the taints of the nodes">
      {(data) => (
        <label className="wide">
          Nodes that have exactly
          <select value={draft.set} onChange={({ target }) => change({ set: target.value })}>
            <option value="">choose the taints</option>
            {nodeSets(data).map((set) => (
              <option key={set.text} value={set.text === '' ? NO_TAINTS : set.text}>
                {set.text === '' ? NO_TAINTS : set.text} ({count(set)})
              </option>
            ))}
          </select>
        </label>
      )}
    </Answer>
  );
}

const NO_TAINTS = 'no taints';

/** The nodes that have the chosen taints now. */
export function namesInSet(sets: readonly NodeSet[], set: string): readonly string[] {
  return sets.filter(({ text }) => (text === '' ? NO_TAINTS : text) === set).flatMap(({ names }) => names);
}
