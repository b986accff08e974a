import type { ClusterState } from '../cluster/cluster-state.js';
import { isCharged, PodCharges, type PodCharge } from './pod-charge.js';
import type { CountedCharge } from './usage-sums.js';

/** Pods between two steps of the generator. */
const STRIDE = 1024;

/** A pod that counts for a quota until a given time, past or future. */
export interface TerminatingPod {
  readonly namespace: string;
  readonly name: string;
  /** In nanoseconds since the epoch. */
  readonly countsUntil: bigint;
}

/** The pods of some namespaces, grouped by what quotas read of them. */
export interface CountedPods {
  /** By namespace. */
  readonly tallies: ReadonlyMap<string, readonly CountedCharge[]>;
  /** The pods that stop counting at some time, by namespace and name. */
  readonly leaving: ReadonlyMap<string, TerminatingPod>;
}

type Tally = { -readonly [Key in keyof CountedCharge]: CountedCharge[Key] };

/** Counts the pods of some namespaces by their charges. */
export function* stepCountPods(
  state: ClusterState,
  now: number,
  namespaces: ReadonlySet<string>,
): Generator<undefined, CountedPods> {
  const tallies = new Map<string, Map<PodCharge, Tally>>([...namespaces].map((namespace) => [namespace, new Map()]));
  const leaving = new Map<string, TerminatingPod>();
  const { pods } = state;
  const charges = new PodCharges(state);
  for (let pod = 0; pod < pods.count && tallies.size > 0; pod++) {
    if (pod % STRIDE === 0) yield undefined;
    const namespace = pods.namespace(pod);
    const ofNamespace = tallies.get(namespace);
    if (ofNamespace === undefined) continue;
    const charge = charges.of(pod);
    let tally = ofNamespace.get(charge);
    if (tally === undefined) ofNamespace.set(charge, (tally = { charge, active: 0, inactive: 0 }));
    const standing = charges.standingOf(pod, now);
    const { countsUntil } = standing;
    if (countsUntil !== undefined) leaving.set(pods.key(pod), { namespace, name: pods.name(pod), countsUntil });
    if (isCharged(standing)) tally.active += 1;
    else tally.inactive += 1;
  }
  return { tallies: new Map([...tallies].map(([namespace, tally]) => [namespace, [...tally.values()]])), leaving };
}
