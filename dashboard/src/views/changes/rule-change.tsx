import type { Schemas } from '../../api/service.js';
import { Badge } from '../../ui/badge.js';
import { TaintText } from '../../ui/taint.js';
import { Time } from '../../ui/time.js';
import { Workload } from '../../ui/workload.js';
import { NodeApplicationBadge } from './words.js';

type RuleChangeOf = Schemas['DeviceTaintRuleChange'];
type RecordedTaint = NonNullable<RuleChangeOf['after']>;

/** What a change does to a DeviceTaintRule: its taint and devices, the devices that it covers, and whom it evicts. */
export function RuleChange({ of }: { readonly of: RuleChangeOf }) {
  const { rule, outcome, before, after, inEffect, notLoaded, devices, evictions, application } = of;
  return (
    <>
      <p>
        DeviceTaintRule <bdi>{rule}</bdi>: {outcome}
        {!inEffect && ', but not in effect: the feature gate DRADeviceTaintRules is off'}.
        {application !== null && (
          <>
            {' '}
            In the cluster: <NodeApplicationBadge state={application.state} />
            {application.message !== null && (
              <>
                {' '}
                <bdi>{application.message}</bdi>
              </>
            )}
          </>
        )}
      </p>
      <dl className="facts">
        {before !== null && (
          <>
            <dt>Before</dt>
            <dd>
              <RuleTaint of={before} />
            </dd>
          </>
        )}
        <dt>After</dt>
        <dd>{after === null ? 'no such rule' : <RuleTaint of={after} />}</dd>
      </dl>
      {notLoaded.length > 0 && <p>More may follow from it: no {notLoaded.join(', ')} was ever loaded.</p>}
      <h3>Devices: {devices.total}</h3>
      {devices.items.length > 0 && (
        <table>
          <caption className="sr-only">Devices that the rule covers</caption>
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">Node</th>
              <th scope="col">Claims</th>
            </tr>
          </thead>
          <tbody>
            {devices.items.map(({ driver, pool, name, node, claims }) => (
              <tr key={`${driver}/${pool}/${name}`}>
                <th scope="row">
                  <bdi>{`${driver}/${pool}/${name}`}</bdi>
                </th>
                <td>
                  <bdi>{node}</bdi>
                </td>
                <td>
                  <bdi>{claims.join(', ')}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {devices.total > devices.items.length && <p>{devices.total - devices.items.length} more are not listed.</p>}
      <h3>Evictions</h3>
      <p>
        {evictions.now} now, {evictions.after} later, {evictions.cancelled} no longer.
      </p>
      {evictions.pods.length > 0 && (
        <table>
          <caption className="sr-only">Pods whose eviction changes</caption>
          <thead>
            <tr>
              <th scope="col">Pod</th>
              <th scope="col">Node</th>
              <th scope="col">Workload</th>
              <th scope="col">Evicted</th>
            </tr>
          </thead>
          <tbody>
            {evictions.pods.map(({ namespace, name, node, workload, at }) => (
              <tr key={`${namespace}/${name}`}>
                <th scope="row">
                  <bdi>{`${namespace}/${name}`}</bdi>
                </th>
                <td>
                  <bdi>{node}</bdi>
                </td>
                <td>
                  <Workload of={workload} />
                </td>
                <td>{at === null ? <Badge kind="good">no longer</Badge> : <Time at={at} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function RuleTaint({ of: { devices, ...taint } }: { readonly of: RecordedTaint }) {
  const given = Object.entries(devices ?? {}).filter(([, value]) => value !== '');
  return (
    <>
      <TaintText taint={taint} /> on{' '}
      {given.length === 0 ? 'all devices' : <bdi>{given.map(([name, value]) => `${name} ${value}`).join(', ')}</bdi>}
      {typeof taint.timeAdded === 'string' && (
        <span className="quiet">
          , since <Time at={taint.timeAdded} />
        </span>
      )}
    </>
  );
}
