import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useCluster } from '../../api/cluster.js';
import { useMoment } from '../../api/moment.js';
import { overheadsOf, proposedNodesOf, type Change } from './scenario.js';

/** Forms that add a change each to the scenario. */
export function Builder({
  add,
  isFull,
}: {
  readonly add: (...changes: readonly Change[]) => void;
  readonly isFull: boolean;
}) {
  const [cluster, moment] = [useCluster(), useMoment()];
  const { data: proposed } = useQuery(proposedNodesOf(cluster, moment));
  return (
    <fieldset className="what-if-builder" disabled={isFull}>
      <legend className="sr-only">Add a change</legend>
      <datalist id="what-if-names">
        {proposed?.names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="what-if-nodes">
        {proposed?.selectors.map(({ selector, nodes }) => (
          <option key={selector} value={selector} label={`${selector} (${nodes})`} />
        ))}
        {proposed?.names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <AddNodes add={add} />
      <LoseNodes add={add} />
      <Taint add={add} />
      <Cordon add={add} />
      <AddPods add={add} />
      <Overhead add={add} />
      {isFull && <p className="quiet">A longer scenario does not fit into an address: send it to the API.</p>}
    </fieldset>
  );
}

type Adding = { readonly add: (...changes: readonly Change[]) => void };

/** Nodes by name or by labels, as they were written: names have no operators. */
function targetsOf(text: string): { readonly nodes: string[] } | { readonly labelSelector: string } {
  const given = text.trim();
  return /[=!()]/.test(given)
    ? { labelSelector: given }
    : { nodes: given.split(/[\s,]+/).filter((name) => name !== '') };
}

function Line({
  onAdd,
  action,
  children,
}: {
  readonly onAdd: () => void;
  readonly action: string;
  readonly children: ReactNode;
}) {
  return (
    <form
      className="what-if-line"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd();
      }}
    >
      {children}
      <button type="submit">{action}</button>
    </form>
  );
}

function Text({
  label,
  value,
  set,
  placeholder,
  list,
}: {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly placeholder: string;
  readonly list?: string;
}) {
  return (
    <label>
      {label}{' '}
      <input
        value={value}
        required
        placeholder={placeholder}
        list={list}
        autoComplete="off"
        spellCheck={false}
        maxLength={1000}
        onChange={({ target }) => set(target.value)}
      />
    </label>
  );
}

function Count({
  label,
  value,
  set,
}: {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  return (
    <label>
      {label}{' '}
      <input
        className="what-if-count"
        type="number"
        min={1}
        max={20_000}
        required
        value={value}
        onChange={({ target }) => set(target.value)}
      />
    </label>
  );
}

function AddNodes({ add }: Adding) {
  const [count, setCount] = useState('5');
  const [like, setLike] = useState('');
  return (
    <Line action="Add nodes" onAdd={() => add({ addNodes: { like: like.trim(), count: Number(count) } })}>
      <Count label="Add" value={count} set={setCount} />
      <Text label="nodes like" value={like} set={setLike} placeholder="node-1" list="what-if-names" />
    </Line>
  );
}

function LoseNodes({ add }: Adding) {
  const [targets, setTargets] = useState('');
  return (
    <Line action="Lose nodes" onAdd={() => add({ removeNodes: targetsOf(targets) })}>
      <Text
        label="Lose nodes (names or labels)"
        value={targets}
        set={setTargets}
        placeholder="topology.kubernetes.io/zone=b"
        list="what-if-nodes"
      />
    </Line>
  );
}

function Taint({ add }: Adding) {
  const [targets, setTargets] = useState('');
  const [taint, setTaint] = useState('');
  return (
    <Line
      action="Taint nodes"
      onAdd={() => add({ editNodes: { ...targetsOf(targets), taints: [taint.trim()], overwrite: true } })}
    >
      <Text
        label="Taint (a minus at the end takes it away)"
        value={taint}
        set={setTaint}
        placeholder="dedicated=ml:NoExecute"
      />
      <Text label="on nodes" value={targets} set={setTargets} placeholder="pool=batch" list="what-if-nodes" />
    </Line>
  );
}

function Cordon({ add }: Adding) {
  const [targets, setTargets] = useState('');
  const [action, setAction] = useState('cordon');
  return (
    <Line
      action="Change scheduling"
      onAdd={() => add({ editNodes: { ...targetsOf(targets), unschedulable: action === 'cordon' } })}
    >
      <select aria-label="Cordon or uncordon" value={action} onChange={({ target }) => setAction(target.value)}>
        <option value="cordon">Cordon</option>
        <option value="uncordon">Uncordon</option>
      </select>
      <Text label="the nodes" value={targets} set={setTargets} placeholder="node-1, node-2" list="what-if-nodes" />
    </Line>
  );
}

/** More replicas of what runs. */
function AddPods({ add }: Adding) {
  const [count, setCount] = useState('3');
  const [like, setLike] = useState('');
  return (
    <Line action="Add pods" onAdd={() => add({ addPods: { like: like.trim(), count: Number(count) } })}>
      <Count label="Add" value={count} set={setCount} />
      <Text label="pods like" value={like} set={setLike} placeholder="namespace/name" />
    </Line>
  );
}

function Overhead({ add }: Adding) {
  const { data } = useQuery(overheadsOf(useCluster(), useMoment()));
  const classes = (data?.items ?? []).flatMap(({ name }) => (name === '' ? [] : [name]));
  const [name, setName] = useState('');
  const [factor, setFactor] = useState('2');
  if (classes.length === 0) return null;
  const chosen = classes.includes(name) ? name : classes[0]!;
  return (
    <Line
      action="Change overhead"
      onAdd={() =>
        add(
          { editRuntimeClass: { name: chosen, overheadFactor: Number(factor) } },
          { readmitPods: { runtimeClass: chosen } },
        )
      }
    >
      <label>
        Overhead of{' '}
        <select value={chosen} onChange={({ target }) => setName(target.value)}>
          {classes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        times{' '}
        <input
          className="what-if-count"
          type="number"
          min={0}
          max={1000}
          step="0.001"
          required
          value={factor}
          onChange={({ target }) => setFactor(target.value)}
        />
      </label>
    </Line>
  );
}
