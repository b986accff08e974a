import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCluster } from '../../api/cluster.js';
import { Budgets } from './budgets.js';
import { Drains } from './drains.js';
import { Schedule } from './schedule.js';
import '../../ui/parts.css';
import '../changes/changes.css';
import './evictions.css';

const TABS = [
  ['evictions', 'Evictions by taints'],
  ['drains', 'Drains'],
  ['budgets', 'Disruption budgets'],
] as const;

/** What leaves the nodes: by taints, by drains; and what holds it up. */
export default function EvictionsView() {
  const cluster = useCluster();
  const { tab }: { readonly tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const shown = TABS.find(([name]) => name === tab)?.[0] ?? 'evictions';
  return (
    <>
      <div className="changes-head">
        <h1>Evictions and drains</h1>
        <div role="radiogroup" aria-label="What leaves" className="choices no-print">
          {TABS.map(([name, title]) => (
            <label key={name}>
              <input
                type="radio"
                name="tab"
                checked={shown === name}
                onChange={() => void navigate({ to: '.', search: (search) => ({ ...search, tab: name }) })}
              />{' '}
              {title}
            </label>
          ))}
        </div>
      </div>
      {shown === 'evictions' && <Schedule cluster={cluster} />}
      {shown === 'drains' && <Drains cluster={cluster} />}
      {shown === 'budgets' && <Budgets cluster={cluster} />}
    </>
  );
}
