import { MAX_HORIZON } from '../../contract/limits.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { gatesOf, type TolerationGates } from '../../core/kubernetes/toleration.js';
import type { Selector } from '../../core/kubernetes/label-selector.js';
import {
  checkLifecycleParameters,
  DEFAULT_LIFECYCLE_PARAMETERS,
  type LifecycleParameters,
} from '../../core/node-lifecycle/lifecycle-parameters.js';
import type { Outage } from '../../core/node-lifecycle/outage.js';
import { applyScenario, MAX_CHANGES } from '../../core/scenario/apply-scenario.js';
import { faultAt, placeOf } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { selectorIn } from '../label-selector-parameter.js';
import { MAX_TIME, TOO_LATE } from '../time-bounds.js';
import { faultsBeforeState, faultsTooLate, startOf } from './as-of.js';
import { MAX_EVENTS, stepReadEvents, type ReadEvent } from './given-events.js';
import { readOutages } from './given-outages.js';
import { controllerStartIn, type ControllerStart } from './schedule-inputs.js';
import type { ScheduleRequest } from './schedule-request.js';

export { MAX_HORIZON };

/** A fully parsed request for an eviction schedule. */
export interface ReadQuestion {
  readonly state: ClusterState;
  readonly stored: ClusterState;
  readonly nodes: readonly number[];
  /** Selects the pods to list; undefined for all. */
  readonly podLabels: Selector | undefined;
  readonly seenAt: number;
  readonly asOf: number;
  readonly horizon: number;
  readonly events: readonly ReadEvent[];
  readonly outages: readonly Outage[];
  readonly lifecycle: LifecycleParameters;
  readonly controllerStart: ControllerStart | undefined;
  readonly warnings: readonly string[];
  readonly gates: TolerationGates;
}

/** The place of a member in a request. */
export const placeIn = (root: string, name: string): FieldPath =>
  root === '' ? FieldPath.of(name) : FieldPath.of(root, name);

/**
 * Parses and validates a request against a state, and reports every error. Yields between events.
 * @throws {InvalidRequestError}
 */
export function* stepReadQuestion(
  request: ScheduleRequest,
  given: {
    readonly state: ClusterState;
    readonly stored: ClusterState;
    readonly seenAt: number;
    readonly madeAt: number;
    readonly now: Date;
  },
): Generator<undefined, ReadQuestion> {
  const { stored, seenAt, madeAt, now } = given;
  const { readAt, root } = request;
  const faults: ErrorDetail[] = [];
  const place = (name: string): FieldPath => placeIn(root, name);
  const complain = (at: FieldPath, code: string, message: string): void => {
    faults.push(faultAt(at, code, message));
  };
  const asOf = startOf(request.asOf, { readAt, madeAt, now });
  faults.push(...faultsBeforeState(asOf, madeAt, place('asOf')), ...faultsTooLate(asOf, place('asOf')));
  for (const [index, { at }] of request.events.entries()) {
    if (at.getTime() >= MAX_TIME) complain(place('events').index(index).child('at'), 'too-late', TOO_LATE);
  }
  const { horizonSeconds, controllerStartedAt } = request;
  if (horizonSeconds > MAX_HORIZON) {
    complain(place('horizonSeconds'), 'too-late', `must be at most ${MAX_HORIZON} seconds (one week)`);
  }
  const horizon = asOf + Math.min(horizonSeconds, MAX_HORIZON) * 1000;
  if (controllerStartedAt !== undefined && controllerStartedAt.getTime() > asOf) {
    complain(place('controllerStartedAt'), 'in-the-future', 'must not be after asOf; give later starts as events');
  }
  if (request.events.length > MAX_EVENTS) {
    complain(place('events'), 'too-long', `must have at most ${MAX_EVENTS} items`);
  }
  const read = yield* stepReadEvents(request.events.slice(0, MAX_EVENTS), {
    state: given.state,
    from: asOf,
    at: place('events'),
  });
  const failing = readOutages(request.outages, { state: given.state, asOf, latest: horizon, at: place('outages') });
  const lifecycle = { ...DEFAULT_LIFECYCLE_PARAMETERS, ...defined(request.lifecycle) };
  const parameterFaults = checkLifecycleParameters(lifecycle);
  for (const { parameter, severity, message } of parameterFaults) {
    if (severity === 'error') complain(place('lifecycle').child(parameter), 'invalid', message);
  }
  faults.push(
    ...read.faults,
    ...failing.faults,
    ...conflictsOf(read.events, failing.outages, given.state, place('events')),
  );
  const nodes = nodesIn(given.state, request, { place, faults });
  const podLabels = selectorOf(request.pods.labelSelector, place('pods').child('labelSelector'), faults);
  const state = faults.length > 0 ? given.state : withMadePods(given.state, read.events, place('events'), faults);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return {
    state,
    stored,
    nodes,
    podLabels,
    seenAt,
    asOf,
    horizon,
    events: read.events,
    outages: failing.outages,
    lifecycle,
    controllerStart:
      controllerStartedAt === undefined
        ? controllerStartIn(stored)
        : { at: controllerStartedAt.getTime(), known: 'request' },
    gates: gatesOf(state.rules),
    warnings: parameterFaults.map(({ parameter, message }) => `${parameter} ${message}.`),
  };
}

/** An empty selector selects everything. */
function selectorOf(text: string | undefined, at: FieldPath, faults: ErrorDetail[]): Selector | undefined {
  return text === undefined || text.trim() === '' ? undefined : selectorIn(text, placeOf(at), faults);
}

function nodesIn(
  { nodes }: ClusterState,
  request: ScheduleRequest,
  { place, faults }: { readonly place: (name: string) => FieldPath; readonly faults: ErrorDetail[] },
): readonly number[] {
  const selector = selectorOf(request.nodeSelector, place('nodeSelector'), faults);
  const named = request.nodes?.map((name, index) => {
    const node = nodes.indexOf(name);
    if (node < 0) {
      const message = `node ${JSON.stringify(name)} does not exist`;
      faults.push(faultAt(place('nodes').index(index), 'object-not-found', message));
    }
    return node;
  });
  const all =
    named === undefined
      ? Array.from({ length: nodes.count }, (_, index) => index)
      : [...new Set(named)].sort((a, b) => a - b);
  return all.filter((node) => node >= 0 && (selector === undefined || selector.matches(nodes.labels(node))));
}

/** Events and outages both determine the taints of a node, so a node may have only one of them. */
function conflictsOf(
  events: readonly ReadEvent[],
  outages: readonly Outage[],
  { nodes }: ClusterState,
  at: FieldPath,
): readonly ErrorDetail[] {
  if (outages.length === 0) return [];
  const failing = new Set<number>();
  for (const outage of outages) for (const node of outage.nodes) failing.add(node);
  return events.flatMap((event, index) => {
    if (event.do !== 'setTaints' && event.do !== 'deleteNode') return [];
    if (!failing.has(nodes.indexOf(event.node))) return [];
    const place = at.index(index).child('node');
    const message = `node ${JSON.stringify(event.node)} is part of an outage, which determines its taints; remove the event or the outage`;
    return [faultAt(place, 'conflicting-fields', message)];
  });
}

/** The state with the pods that events create, each on its node. */
function withMadePods(
  state: ClusterState,
  events: readonly ReadEvent[],
  at: FieldPath,
  faults: ErrorDetail[],
): ClusterState {
  const made = events.flatMap((event, index) => (event.do === 'createPod' ? [{ event, index }] : []));
  if (made.length === 0) return state;
  if (made.length > MAX_CHANGES) {
    const message = `may create at most ${MAX_CHANGES} pods, not ${made.length}`;
    faults.push(faultAt(at, 'too-long', message));
    return state;
  }
  const changes = made.map(({ event }) => ({ type: 'addPods' as const, pod: event.manifest, nodeName: event.node }));
  const result = applyScenario(state, { changes });
  if (result.outcome === 'applied') return result.state;
  for (const { field, pointer, code, message } of result.faults) {
    const change = /^\/scenario\/changes\/(\d+)\/addPods\/pod(.*)$/.exec(pointer);
    const index = made[Number(change?.[1] ?? 0)]!.index;
    const place = at.index(index).child('manifest');
    const rest = field.replace(/^.*?addPods\.pod/, '');
    faults.push({
      field: `${place.toString()}${rest}`,
      pointer: `${place.toPointer()}${change?.[2] ?? ''}`,
      code,
      message,
    });
  }
  return state;
}
