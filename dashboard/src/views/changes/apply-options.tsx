import { useId } from 'react';
import type { Schemas } from '../../api/service.js';

type Options = Schemas['ApplyOptionsRequest'];

/** How a change is written to the cluster. */
export function ApplyOptions({
  options,
  onChange,
}: {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}) {
  const id = useId();
  const number = (name: 'nodesPerMinute' | 'maxFailures', text: string): void => {
    const others = Object.fromEntries(Object.entries(options).filter(([other]) => other !== name));
    onChange(text === '' ? others : { ...others, [name]: Number(text) });
  };
  return (
    <div className="fields">
      <label htmlFor={`${id}-pace`}>
        Nodes a minute
        <input
          id={`${id}-pace`}
          type="number"
          min={1}
          max={6000}
          placeholder="as fast as it goes"
          value={options.nodesPerMinute ?? ''}
          onChange={({ target }) => number('nodesPerMinute', target.value)}
        />
      </label>
      <label htmlFor={`${id}-failures`}>
        Stop after failures
        <input
          id={`${id}-failures`}
          type="number"
          min={1}
          placeholder="1"
          value={options.maxFailures ?? ''}
          onChange={({ target }) => number('maxFailures', target.value)}
        />
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={options.force === true}
          onChange={({ target }) => onChange({ ...options, force: target.checked })}
        />
        Touch taints that belong to others, too
      </label>
    </div>
  );
}
