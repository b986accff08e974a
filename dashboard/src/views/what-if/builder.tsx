import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useCluster } from '../../api/cluster.js';
import { useMoment } from '../../api/moment.js';
import { overheadsOf, type Change } from './scenario.js';

/** Forms that add a change each to the scenario. */
export function Builder({
  add,
  isFull,
}: {
  readonly add: (...changes: readonly Change[]) => void;
  readonly isFull: boolean;
}) {
  return (
    <fieldset className="what-if-builder" disabled={isFull}>
      <legend className="sr-only">Add a change</legend>
      <AddNodes add={add} />
      <LoseNodes add={add} />
      <Taint add={add} />
      <Overhead add={add} />
      {isFull && <p className="quiet">A longer scenario does not fit into an address: send it to the API.</p>}
    </fieldset>
  );
}

type Adding = { readonly add: (...changes: readonly Change[]) => void };

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
}: {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly placeholder: string;
}) {
  return (
    <label>
      {label}{' '}
      <input
        value={value}
        required
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={317}
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
      <label>
        Add{' '}
        <input
          className="what-if-count"
          type="number"
          min={1}
          max={20_000}
          required
          value={count}
          onChange={({ target }) => setCount(target.value)}
        />
      </label>
      <Text label="nodes like" value={like} set={setLike} placeholder="node-1" />
    </Line>
  );
}

function LoseNodes({ add }: Adding) {
  const [selector, setSelector] = useState('');
  return (
    <Line action="Lose nodes" onAdd={() => add({ removeNodes: { labelSelector: selector.trim() } })}>
      <Text
        label="Lose nodes with labels"
        value={selector}
        set={setSelector}
        placeholder="topology.kubernetes.io/zone=b"
      />
    </Line>
  );
}

function Taint({ add }: Adding) {
  const [selector, setSelector] = useState('');
  const [taint, setTaint] = useState('');
  return (
    <Line
      action="Taint nodes"
      onAdd={() => add({ editNodes: { labelSelector: selector.trim(), taints: [taint.trim()], overwrite: true } })}
    >
      <Text label="Taint" value={taint} set={setTaint} placeholder="dedicated=ml:NoSchedule" />
      <Text label="on nodes with labels" value={selector} set={setSelector} placeholder="pool=batch" />
    </Line>
  );
}

/** Of the stored pods of a RuntimeClass, in the mean: what the class gives to each. */
function Overhead({ add }: Adding) {
  const { data } = useQuery(overheadsOf(useCluster(), useMoment()));
  const classes = (data?.items ?? []).filter(({ name }) => name !== '');
  const [name, setName] = useState('');
  const [factor, setFactor] = useState('2');
  if (classes.length === 0) return null;
  const chosen = classes.find((one) => one.name === name) ?? classes[0]!;
  const pods = chosen.scheduled.pods + chosen.waiting.pods;
  const sums = new Map<string, number>();
  for (const { resource, amount } of [...chosen.scheduled.amounts, ...chosen.waiting.amounts]) {
    sums.set(resource, (sums.get(resource) ?? 0) + amount);
  }
  const overhead = Object.fromEntries(
    [...sums].map(([resource, sum]) => {
      const each = Math.ceil((sum / Math.max(1, pods)) * Number(factor));
      return [resource, resource === 'cpu' ? `${each}m` : String(each)];
    }),
  );
  return (
    <Line
      action="Change overhead"
      onAdd={() =>
        add({ editRuntimeClass: { name: chosen.name, overhead } }, { readmitPods: { runtimeClass: chosen.name } })
      }
    >
      <label>
        Overhead of{' '}
        <select value={chosen.name} onChange={({ target }) => setName(target.value)}>
          {classes.map((one) => (
            <option key={one.name}>{one.name}</option>
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
          step="any"
          required
          value={factor}
          onChange={({ target }) => setFactor(target.value)}
        />
      </label>
    </Line>
  );
}
