import type { ClusterState } from '../cluster/cluster-state.js';
import { LEASE_RENEWAL_SECONDS } from './lifecycle-parameters.js';
import type { LifecycleEvent, TaintChange } from './lifecycle-timeline.js';
import { type Outage, type OutageOptions, stepPreparedOutage, stepPreparedTimeline } from './outage.js';
import { TICK_MS } from './pass-clock.js';
import { zoneName } from './zone-key.js';

/** The interval (ms since 1970) in which a turn of a zone's queue comes. */
export interface TurnBounds {
  readonly zone: string;
  /** Counted from 1 in each zone. The node that it serves is random. */
  readonly turn: number;
  readonly earliestAt: number;
  /** Undefined if the turn may not come at all, such as for an outage that ends at about that time. */
  readonly latestAt: number | undefined;
}

/** Maximum number of phases of the passes that are simulated. */
const MAX_PHASES = 16;

/**
 * The earliest and the latest time of each NoExecute taint that the queue sets, for any phase of the controller's
 * passes.
 *
 * A turn shifts with the passes until a pass crosses the beginning or the end of an outage. The simulated phases are
 * therefore those at which a pass falls on such a time, or just before it, each at the cost of one simulation; beyond
 * 16 of them they are a sample. Uncertainty that no phase shows is added: the last lease may be up to 10 s old when an
 * outage begins, a pass may find the grace period not quite over and leave the node to the next pass, and each turn may
 * come up to a tick of 0.1 s after its token. If an outage ends, the oldest possible lease is simulated too, for turns
 * that come only then.
 */
export function* stepOutageBounds(
  state: ClusterState,
  outages: readonly Outage[],
  options: Omit<OutageOptions, 'phaseMs'>,
): Generator<undefined, readonly TurnBounds[]> {
  const runs: ReadonlyMap<string, readonly number[]>[] = [];
  const prepared = yield* stepPreparedOutage(state, outages);
  const zoneOf = new Map(prepared.nodes.map(({ name, zone }) => [name, zone]));
  for (const phaseMs of phasesToTry(outages, options)) {
    const { changes } = yield* stepPreparedTimeline(prepared, { ...options, phaseMs });
    runs.push(yield* stepTurnsByZone(changes, zoneOf));
  }
  const silent = outages.some(({ how }) => how === 'silent');
  const ends = outages.some(({ untilAt = Infinity }) => untilAt <= options.untilAt);
  // An earlier detection may add turns that the end of the outage would otherwise have prevented.
  const sooner: ReadonlyMap<string, readonly number[]>[] = [];
  if (silent && ends) {
    const earlier = { ...prepared, events: prepared.events.map(heardEarlier) };
    for (const phaseMs of phasesToTry(outages, options)) {
      const { changes } = yield* stepPreparedTimeline(earlier, { ...options, phaseMs });
      sooner.push(yield* stepTurnsByZone(changes, zoneOf));
    }
  }
  const early = silent ? LEASE_RENEWAL_SECONDS * 1000 : 0;
  const late = silent ? options.parameters.nodeMonitorPeriodSeconds * 1000 : 0;
  const zones = [...new Set([...runs, ...sooner].flatMap((turns) => [...turns.keys()]))].sort();
  return zones.flatMap((zone) => {
    const most = Math.max(...[...runs, ...sooner].map((turns) => turns.get(zone)?.length ?? 0));
    return Array.from({ length: most }, (_, index): TurnBounds => {
      const times = runs.map((turns) => turns.get(zone)?.[index]);
      const known = times.filter((at) => at !== undefined);
      if (known.length === 0) {
        const perhaps = sooner.flatMap((turns) => turns.get(zone)?.[index] ?? []);
        return { zone: zoneName(zone), turn: index + 1, earliestAt: Math.min(...perhaps), latestAt: undefined };
      }
      const latestAt = Math.max(...known) + late + (index + 1) * TICK_MS;
      return {
        zone: zoneName(zone),
        turn: index + 1,
        earliestAt: Math.max(options.fromAt, Math.min(...known) - early),
        latestAt: known.length < times.length || latestAt > options.untilAt ? undefined : latestAt,
      };
    });
  });
}

function phasesToTry(
  outages: readonly Outage[],
  { fromAt, parameters }: Omit<OutageOptions, 'phaseMs'>,
): readonly number[] {
  const period = parameters.nodeMonitorPeriodSeconds * 1000;
  const within = (at: number): number => (((at - fromAt) % period) + period) % period;
  const moments = outages.flatMap(({ fromAt: begin, untilAt }) => (untilAt === undefined ? [begin] : [begin, untilAt]));
  const phases = [...new Set([fromAt, ...moments].flatMap((at) => [within(at), within(at - 1)]))].sort((a, b) => a - b);
  if (phases.length <= MAX_PHASES) return phases;
  const step = (phases.length - 1) / (MAX_PHASES - 1);
  return Array.from({ length: MAX_PHASES }, (_, index) => phases[Math.round(index * step)]!);
}

/** The same outage, with the oldest possible last lease at its beginning. */
function heardEarlier(event: LifecycleEvent): LifecycleEvent {
  if (event.kind !== 'silent' || event.lastHeartbeatAt !== event.at) return event;
  return { ...event, lastHeartbeatAt: event.at - LEASE_RENEWAL_SECONDS * 1000 };
}

/** Changes between two steps of the generator. */
const STRIDE = 4096;

function* stepTurnsByZone(
  changes: readonly TaintChange[],
  zoneOf: ReadonlyMap<string, string>,
): Generator<undefined, ReadonlyMap<string, readonly number[]>> {
  const turns = new Map<string, number[]>();
  for (const [index, { cause, node, at }] of changes.entries()) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    if (cause !== 'turn') continue;
    const zone = zoneOf.get(node) ?? '';
    const times = turns.get(zone);
    if (times === undefined) turns.set(zone, [at]);
    else times.push(at);
  }
  return turns;
}
