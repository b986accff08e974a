import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { AnswerTo } from '../../contract/question.js';
import type { reviewSchedulerConfiguration } from '../../contract/scheduling/scheduler-configuration-questions.js';
import { profileNamed } from '../../core/scheduling/profiles-in.js';
import type { SchedulerProfile } from '../../core/scheduler-configuration/scheduler-profile.js';
import { ReadState } from '../reads/read-state.js';
import { callerKey } from '../caller-key.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { givenConfiguration, pointerOf } from './given-configuration.js';
import { readConfigurationResponse } from './scheduler-configuration-response.js';

type ReviewedConfiguration = AnswerTo<typeof reviewSchedulerConfiguration>;

/** Reviews a scheduler configuration, and finds which pods of a cluster it would schedule. Nothing is stored. */
export class ReviewSchedulerConfiguration {
  constructor(private readonly readState: ReadState) {}

  /**
   * @throws {InvalidRequestError} if there is no configuration; errors in a configuration are part of the response
   * @throws {ServiceError} `body-too-large`, and as `ReadState`
   */
  async run(
    { cluster, readAt, configuration, root }: RequestOf<typeof reviewSchedulerConfiguration>,
    context: RequestContext,
  ): Promise<ReviewedConfiguration> {
    const { reading, pointer } = await givenConfiguration(configuration, pointerOf(root), callerKey(context));
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    if (reading.outcome === 'read') {
      const pods = podsOf(state, reading.profiles);
      const configuration = readConfigurationResponse(reading);
      return { basis, accepted: true, stage: null, message: null, faults: [], configuration, pods };
    }
    const faults = reading.faults.map((fault) => ({ message: fault.message, pointer: pointer + fault.pointer }));
    const { stage, message } = reading;
    return { basis, accepted: false, stage, message, faults, configuration: null, pods: podsOf(state, undefined) };
  }
}

function podsOf(
  { pods }: ClusterState,
  profiles: readonly SchedulerProfile[] | undefined,
): ReviewedConfiguration['pods'] {
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
