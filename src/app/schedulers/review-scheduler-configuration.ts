import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { profileNamed } from '../../core/scheduling/profiles-in.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { givenConfiguration } from './given-configuration.js';
import { readConfigurationView, type ReadConfigurationView } from './scheduler-configuration-view.js';

export interface ReviewedConfiguration {
  readonly basis: Basis;
  readonly accepted: boolean;
  /** Where it is refused: while it is decoded, validated, or built. */
  readonly stage: 'decoding' | 'validation' | 'building' | null;
  /** What kube-scheduler says as it ends. */
  readonly message: string | null;
  readonly faults: readonly { readonly message: string; readonly pointer: string }[];
  /** Null of one that is refused. */
  readonly configuration: ReadConfigurationView | null;
  /** The pods of the cluster by the scheduler that they ask for. */
  readonly pods: readonly SchedulerPods[];
}

export interface SchedulerPods {
  readonly schedulerName: string;
  readonly pods: number;
  readonly pending: number;
  /** Whether a profile of the configuration schedules them; null of one that is refused. */
  readonly scheduled: boolean | null;
}

/** Says what there is to say of a configuration, and which pods of a cluster it would schedule. Nothing is stored. */
export class ReviewSchedulerConfiguration {
  constructor(private readonly readState: ReadState) {}

  /**
   * @param at the pointer of the configuration in the request
   * @throws {InvalidRequestError} for what is no configuration at all; one that is wrong is answered
   * @throws {ServiceError} `body-too-large`, and as `ReadState`
   */
  async run(
    cluster: string,
    { configuration, at }: { readonly configuration: JsonValue | undefined; readonly at: string },
    readAt: ReadAt,
    edge: RequestContext,
  ): Promise<ReviewedConfiguration> {
    const { reading, pointer } = await givenConfiguration(configuration, at, edge);
    const { basis, state } = await this.readState.run(cluster, readAt, edge);
    if (reading.outcome === 'read') {
      const pods = podsOf(state, reading.profiles);
      const configuration = readConfigurationView(reading);
      return { basis, accepted: true, stage: null, message: null, faults: [], configuration, pods };
    }
    const faults = reading.faults.map((fault) => ({ message: fault.message, pointer: pointer + fault.pointer }));
    const { stage, message } = reading;
    return { basis, accepted: false, stage, message, faults, configuration: null, pods: podsOf(state, undefined) };
  }
}

function podsOf({ pods }: ClusterState, profiles: readonly SchedulerProfile[] | undefined): readonly SchedulerPods[] {
  const names = new Map<number, string>();
  const counts = new Map<string, { pods: number; pending: number }>();
  for (let pod = 0; pod < pods.count; pod++) {
    if (!pods.active(pod)) continue;
    const spec = pods.specId(pod);
    let name = names.get(spec);
    if (name === undefined) names.set(spec, (name = pods.specOf(spec).schedulerName ?? 'default-scheduler'));
    const count = counts.get(name) ?? { pods: 0, pending: 0 };
    count.pods++;
    if (pods.nodeName(pod) === '') count.pending++;
    counts.set(name, count);
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([schedulerName, count]) => ({
      schedulerName,
      ...count,
      scheduled: profiles === undefined ? null : profileNamed({ profiles }, schedulerName) !== undefined,
    }));
}
