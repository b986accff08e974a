import type { Schemas } from '../api/service.js';
import { amount } from './format.js';

/** Requested of allocatable amounts. */
export function Room({ of }: { readonly of: readonly Schemas['OverviewResource'][] }) {
  const shown = of.filter(({ allocatable }) => allocatable > 0);
  if (shown.length === 0) return null;
  return (
    <table>
      <caption>Room</caption>
      <thead>
        <tr>
          <th scope="col">Resource</th>
          <th scope="col">Requested</th>
          <th scope="col" className="number">
            Free
          </th>
          <th scope="col" className="number">
            Allocatable
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ resource, allocatable, requested }) => (
          <tr key={resource}>
            <th scope="row">
              <bdi>{resource}</bdi>
            </th>
            <td>
              <meter aria-label={`${resource} requested`} min={0} max={allocatable} value={requested} />{' '}
              {Math.round((requested / allocatable) * 100)} %
            </td>
            <td className="number">{amount(resource, allocatable - requested)}</td>
            <td className="number">{amount(resource, allocatable)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
