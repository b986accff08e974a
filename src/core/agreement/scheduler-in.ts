import type { ClusterState } from '../cluster/cluster-state.js';
import { THE_ONE } from '../cluster/setting.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { profilePlugins, type ProfilePlugins } from '../scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../scheduling/profiles-in.js';

/** What is known of a scheduler. */
export interface KnownScheduler {
  readonly profile: ProfilePlugins;
  /** `percentageOfNodesToScore`; 0 for the scheduler's own choice. */
  readonly percentage: number;
  readonly hasExtenders: boolean;
}

/** The scheduler by the name that pods ask for, as the state declares it; undefined if it declares none. */
export function schedulerIn(state: ClusterState, schedulerName: string): KnownScheduler | undefined {
  const found = profileNamed(schedulerConfigurationIn(state), schedulerName);
  if (found === undefined) return undefined;
  const content = state.setting('SchedulerConfiguration', THE_ONE)?.content ?? {};
  const { extenders, profiles, percentageOfNodesToScore } = content;
  const ofProfile = listOf(profiles).find((profile) => profile['schedulerName'] === schedulerName);
  return {
    profile: profilePlugins(found, gatesOf(state.rules)),
    percentage: numberOf(ofProfile?.['percentageOfNodesToScore']) ?? numberOf(percentageOfNodesToScore) ?? 0,
    hasExtenders: listOf(extenders).length > 0,
  };
}

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonObject[]) : [];
const numberOf = (value: JsonValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

const LEAST_NODES = 100;
const LEAST_PERCENTAGE = 5;

/**
 * How many feasible nodes the scheduler looks for before it scores those.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/schedule_one.go, `numFeasibleNodesToFind`.
 *
 * @param nodes those that PreFilter leaves
 */
export function feasibleNodesToFind(nodes: number, percentage: number): number {
  if (nodes < LEAST_NODES) return nodes;
  const share = percentage === 0 ? Math.max(50 - Math.trunc(nodes / 125), LEAST_PERCENTAGE) : percentage;
  return Math.max(Math.trunc((nodes * share) / 100), LEAST_NODES);
}
