import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import type { FieldPath } from '../../core/kubernetes/field-path.js';
import type { Outage } from '../../core/node-lifecycle/outage.js';
import { faultAt, placeOf } from '../errors/fault-at.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { selectorIn } from '../label-selector-parameter.js';
import { MAX_TIME, TOO_LATE } from '../time-bounds.js';
import type { GivenOutage } from './schedule-request.js';

/** Maximum number of single-node failures in a request: each causes changes, which are all kept in memory. */
const MAX_FAILURES = 100_000;

const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Parses node outages and reports every error. */
export function readOutages(
  given: readonly GivenOutage[],
  {
    state,
    asOf,
    latest,
    at: root,
  }: { readonly state: ClusterState; readonly asOf: number; readonly latest: number; readonly at: FieldPath },
): { readonly outages: readonly Outage[]; readonly faults: readonly ErrorDetail[] } {
  const faults: ErrorDetail[] = [];
  const outages = given.map((outage, index): Outage => {
    const place = root.index(index);
    const complain = (at: FieldPath, code: string, message: string): void => {
      faults.push(faultAt(at, code, message));
    };
    const fromAt = outage.from?.getTime() ?? asOf;
    if (fromAt < asOf) {
      complain(
        place.child('from'),
        'before-the-state',
        `must not be before ${new Date(asOf).toISOString()}, the start of the schedule`,
      );
    } else if (fromAt > latest) {
      complain(place.child('from'), 'too-late', `must not be after the horizon, ${new Date(latest).toISOString()}`);
    }
    if (outage.until !== undefined && outage.forSeconds !== undefined) {
      complain(place.child('forSeconds'), 'conflicting-fields', 'give either until or forSeconds, not both');
    }
    const untilAt =
      outage.until?.getTime() ?? (outage.forSeconds === undefined ? undefined : fromAt + outage.forSeconds * 1000);
    if (untilAt !== undefined && untilAt <= fromAt) {
      complain(
        place.child(outage.until === undefined ? 'forSeconds' : 'until'),
        'invalid',
        'must be after the start of the outage',
      );
    } else if (untilAt !== undefined && untilAt >= MAX_TIME) {
      const message = outage.until === undefined ? 'must end before the year 9700' : TOO_LATE;
      complain(place.child(outage.until === undefined ? 'forSeconds' : 'until'), 'too-late', message);
    }
    return {
      nodes: nodesOf(outage, state, place, faults),
      how: outage.how,
      fromAt,
      ...defined({ untilAt }),
    };
  });
  const failures = outages.reduce((sum, { nodes }) => sum + nodes.length, 0);
  if (failures > MAX_FAILURES) {
    const message = `contain ${failures} failures of single nodes in total; at most ${MAX_FAILURES} are allowed`;
    faults.push(faultAt(root, 'too-many', message));
  }
  return { outages, faults };
}

function nodesOf(
  { nodes, labelSelector, zone, allNodes }: GivenOutage,
  state: ClusterState,
  place: FieldPath,
  faults: ErrorDetail[],
): readonly number[] {
  const complain = (at: FieldPath, code: string, message: string): void => {
    faults.push(faultAt(at, code, message));
  };
  const said = [
    ...(nodes === undefined ? [] : ['nodes']),
    ...(labelSelector === undefined ? [] : ['labelSelector']),
    ...(zone === undefined ? [] : ['zone']),
    ...(allNodes === true ? ['allNodes'] : []),
  ];
  if (said.length !== 1) {
    const also = said.length > 1 ? `, not ${said.join(' and ')}` : '';
    const at = place.child(said[1] ?? 'nodes');
    complain(
      at,
      said.length > 1 ? 'conflicting-fields' : 'required',
      `give exactly one of nodes, labelSelector, zone and allNodes${also}`,
    );
    return [];
  }
  const all = Array.from({ length: state.nodes.count }, (_, index) => index);
  if (nodes !== undefined) {
    const found = nodes.map((name, index) => {
      const node = state.nodes.indexOf(name);
      if (node < 0)
        complain(place.child('nodes').index(index), 'object-not-found', `node ${JSON.stringify(name)} does not exist`);
      return node;
    });
    return [...new Set(found)].filter((node) => node >= 0);
  }
  if (zone !== undefined) {
    const found = all.filter((node) => state.nodes.labels(node)[ZONE_LABEL] === zone);
    if (found.length === 0)
      complain(place.child('zone'), 'object-not-found', `no node has the label ${ZONE_LABEL}=${zone}`);
    return found;
  }
  if (labelSelector === undefined) return all;
  const selector = selectorIn(labelSelector, placeOf(place.child('labelSelector')), faults);
  return selector === undefined ? [] : all.filter((node) => selector.matches(state.nodes.labels(node)));
}
