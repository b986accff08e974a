import { queryOptions, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { useCluster } from '../../api/cluster.js';
import { useMoment, type Moment } from '../../api/moment.js';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { useAddress } from '../../ui/use-address.js';
import { VirtualTable } from '../../ui/virtual-table.js';
import { ExplainedCell, NodesText } from './explained-cell.js';
import { MatrixCanvas } from './matrix-canvas.js';
import {
  countVerdicts,
  filterMatrix,
  matrixOf,
  outcomeOf,
  type Column,
  type Filtered,
  type Matrix,
  type PodGroup,
  type Row,
} from './matrix-model.js';
import type { Place, ShownRow } from './matrix-painter.js';
import { VerdictText } from './verdict-text.js';
import { VERDICTS, type Verdict } from './verdicts.js';
import './matrix.css';

const nodeMatrixOf = (cluster: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'node-matrix', moment],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/node-matrix', {
        path: { cluster },
        query: { ...moment, details: true },
        signal,
      }),
  });

/** Nodes by taints against pods by tolerations. */
export default function MatrixView() {
  const matrix = useQuery(nodeMatrixOf(useCluster(), useMoment()));
  return (
    <>
      <h1 className="sr-only">Taint matrix</h1>
      <Answer of={matrix} what="the matrix">
        {(answer) => <ShownMatrix answer={answer} />}
      </Answer>
    </>
  );
}

function ShownMatrix({ answer }: { readonly answer: Schemas['NodeMatrix'] }) {
  const matrix = useMemo(() => matrixOf(answer), [answer]);
  const [address, setAddress] = useAddress('nodes', 'pods', 'verdict', 'open', 'node', 'workload');
  const sought = useFilter(address, setAddress);
  const verdict = VERDICTS.find((one) => one === address.verdict);
  const nodes = useDeferredValue(sought.nodes);
  const pods = useDeferredValue(sought.pods);
  const everywhere = useMemo(() => filterMatrix(matrix, { nodes, pods, verdict: undefined }), [matrix, nodes, pods]);
  const filtered = useMemo(
    () => (verdict === undefined ? everywhere : filterMatrix(matrix, { nodes, pods, verdict })),
    [matrix, everywhere, nodes, pods, verdict],
  );
  const counts = useMemo(() => countVerdicts(matrix, everywhere), [matrix, everywhere]);
  const rows = useMemo(() => shownRows(filtered, address.open), [filtered, address.open]);
  const selected = useMemo(
    () => placeOf(matrix, filtered, rows, address.node, address.workload),
    [matrix, filtered, rows, address.node, address.workload],
  );
  const select = ({ row, column }: Place): void => {
    const shown = rows[row]!;
    const { names } = filtered.rows[shown.row]!;
    setAddress({
      node: shown.node ?? `${names[0]!}${names.length > 1 ? GROUP : ''}`,
      workload: addressOf(matrix, filtered.columns[column]!.group),
    });
  };
  const toggle = (row: number): void => {
    const first = filtered.rows[rows[row]!.row]!.group.names[0]!;
    const open = new Set(address.open.split(',').filter(Boolean));
    if (!open.delete(first)) open.add(first);
    setAddress({ open: [...open].join(',') });
  };
  const total = filtered.columns.reduce((sum, column) => sum + column.pods, 0);
  const nodeCount = filtered.rows.reduce((sum, { names }) => sum + names.length, 0);
  return (
    <div className="matrix">
      <section className="panel" aria-label="Matrix">
        <div className="matrix-filters">
          <label>
            Nodes
            <input
              type="search"
              value={sought.nodes}
              placeholder="name or taint"
              onChange={({ target }) => sought.set({ nodes: target.value })}
            />
          </label>
          <label>
            Pods
            <input
              type="search"
              value={sought.pods}
              placeholder="workload or toleration"
              onChange={({ target }) => sought.set({ pods: target.value })}
            />
          </label>
          <VerdictChoice {...{ verdict, counts }} choose={(chosen) => setAddress({ verdict: chosen ?? '' })} />
          <p className="matrix-count" role="status">
            {many(nodeCount, 'node')} in {many(filtered.rows.length, 'group')}, {many(total, 'pod')} in{' '}
            {many(filtered.columns.length, 'group')}
          </p>
        </div>
        {filtered.rows.length === 0 || filtered.columns.length === 0 ? (
          <p>No pair of nodes and pods is like that.</p>
        ) : (
          <MatrixCanvas {...{ matrix, filtered, rows, selected }} onSelect={select} onToggle={toggle} />
        )}
      </section>
      {selected === undefined ? (
        <section className="panel matrix-why" aria-label="Why">
          <h2>Why</h2>
          <p className="quiet">
            Click a cell, or a row of the table: it says which taint, which toleration, and in which field.
          </p>
        </section>
      ) : (
        <ExplainedCell
          matrix={matrix}
          row={filtered.rows[rows[selected.row]!.row]!}
          node={rows[selected.row]!.node}
          column={filtered.columns[selected.column]!}
        />
      )}
      <PairTable {...{ matrix, filtered, verdict, rows, selected }} onSelect={select} />
    </div>
  );
}

/** What the fields show changes at once; the address follows. */
function useFilter(
  address: { readonly nodes: string; readonly pods: string },
  setAddress: (changes: { nodes?: string; pods?: string }) => void,
) {
  const [typed, setTyped] = useState({ nodes: address.nodes, pods: address.pods });
  const set = (changes: { nodes?: string; pods?: string }): void => {
    setTyped((now) => ({ ...now, ...changes }));
    setAddress(changes);
  };
  return { ...typed, set };
}

function VerdictChoice({
  verdict,
  counts,
  choose,
}: {
  readonly verdict: Verdict | undefined;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly choose: (verdict: Verdict | undefined) => void;
}) {
  const name = useId();
  return (
    <fieldset className="matrix-verdicts">
      <legend className="sr-only">Verdict</legend>
      <label>
        <input type="radio" name={name} checked={verdict === undefined} onChange={() => choose(undefined)} /> all
      </label>
      {VERDICTS.map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={verdict === one} onChange={() => choose(one)} />{' '}
          <VerdictText verdict={one} /> <span className="quiet">{counts[one].toLocaleString('en')}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The same as the picture, for the keyboard and for screen readers. */
function PairTable({
  matrix,
  filtered,
  verdict,
  rows,
  selected,
  onSelect,
}: {
  readonly matrix: Matrix;
  readonly filtered: Filtered;
  readonly verdict: Verdict | undefined;
  readonly rows: readonly ShownRow[];
  readonly selected: Place | undefined;
  readonly onSelect: (place: Place) => void;
}) {
  const shownGroups = useMemo(() => rows.flatMap(({ node }, shown) => (node === undefined ? [shown] : [])), [rows]);
  const width = filtered.rows.length;
  // Numbers, of which there may be 250,000: what they stand for is made for those in sight.
  const pairs = useMemo(() => {
    const found: number[] = [];
    for (const [at, { group }] of filtered.columns.entries()) {
      for (const [row, nodes] of filtered.rows.entries()) {
        if (verdict !== undefined && outcomeOf(matrix, nodes.group, group).verdict !== verdict) continue;
        found.push(at * width + row);
      }
    }
    return found;
  }, [matrix, filtered, verdict, width]);
  const columnOf = (pair: number): Column => filtered.columns[Math.floor(pair / width)]!;
  const rowOf = (pair: number): Row => filtered.rows[pair % width]!;
  const placeOfPair = (pair: number): Place => ({ row: shownGroups[pair % width]!, column: Math.floor(pair / width) });
  const isCurrent = (pair: number): boolean => {
    const { row, column } = placeOfPair(pair);
    return row === selected?.row && column === selected.column;
  };
  return (
    <section className="panel matrix-table" aria-labelledby="pairs">
      <h2 id="pairs">The same as a table</h2>
      <VirtualTable
        label="Pods against nodes"
        rows={pairs}
        keyOf={(pair) => `${columnOf(pair).group.index}.${rowOf(pair).group.index}`}
        isCurrent={isCurrent}
        columns={[
          {
            id: 'pods',
            title: 'Pods',
            width: 'minmax(11rem, 3fr)',
            cell: (pair) => (
              <button type="button" className="link" onClick={() => onSelect(placeOfPair(pair))}>
                <bdi>{columnOf(pair).label}</bdi>
              </button>
            ),
          },
          {
            id: 'count',
            title: 'Count',
            width: '4rem',
            number: true,
            cell: (pair) => columnOf(pair).pods.toLocaleString('en'),
          },
          {
            id: 'verdict',
            title: 'Verdict',
            width: '9.5rem',
            cell: (pair) => (
              <VerdictText verdict={outcomeOf(matrix, rowOf(pair).group, columnOf(pair).group).verdict} />
            ),
          },
          {
            id: 'taints',
            title: 'Nodes with',
            width: 'minmax(11rem, 4fr)',
            cell: (pair) => <bdi className="mono">{rowOf(pair).group.label}</bdi>,
          },
          {
            id: 'nodes',
            title: 'Nodes',
            width: 'minmax(9rem, 3fr)',
            cell: (pair) => <NodesText row={rowOf(pair)} />,
          },
        ]}
      />
    </section>
  );
}

const many = (count: number, what: string): string => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** After the name of the first node of a group, if the group is meant. */
const GROUP = '+';

function shownRows({ rows }: Filtered, opened: string): readonly ShownRow[] {
  const open = new Set(opened.split(',').filter(Boolean));
  return rows.flatMap(({ group, names }, row): ShownRow[] => {
    const isOpen = open.has(group.names[0]!);
    const label = `${isOpen ? '▾' : '▸'} ${names.length.toLocaleString('en')} × ${group.label}`;
    const whole: ShownRow = { row, node: undefined, label };
    return isOpen ? [whole, ...names.map((node): ShownRow => ({ row, node, label: node }))] : [whole];
  });
}

/** A workload whose pods have several lists of tolerations does not name a group. */
function addressOf({ podGroups }: Matrix, group: PodGroup): string {
  const own = group.members.find((member) => podGroups.find(({ members }) => members.includes(member)) === group);
  return own ?? `#${group.index}`;
}

function placeOf(
  { podGroups }: Matrix,
  { rows: nodes, columns }: Filtered,
  rows: readonly ShownRow[],
  node: string,
  workload: string,
): Place | undefined {
  if (node === '' || workload === '') return undefined;
  const pods = workload.startsWith('#')
    ? podGroups[Number(workload.slice(1))]
    : podGroups.find(({ members }) => members.includes(workload));
  const column = columns.findIndex(({ group }) => group === pods);
  const isGroup = node.endsWith(GROUP);
  const name = isGroup ? node.slice(0, -GROUP.length) : node;
  let row = isGroup ? -1 : rows.findIndex((shown) => shown.node === name);
  if (row < 0) row = rows.findIndex((shown) => shown.node === undefined && nodes[shown.row]!.names.includes(name));
  return row < 0 || column < 0 ? undefined : { row, column };
}
