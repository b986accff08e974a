import type { PodAction } from '../../core/eviction-schedule/pod-action.js';
import type { PageRequest } from '../../contract/page.js';
import type { ReadAt } from '../reads/read-at.js';
import type { GivenEvent } from './given-events.js';
import type { GivenOutage, GivenLifecycle } from './given-outages.js';

/** Which pods of a schedule are listed; the counts are of all. */
export interface ListedPodsFilter {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly workload?: string | undefined;
  readonly workloadKind?: string | undefined;
  readonly actions?: readonly PodAction[] | undefined;
}

/** A question for the eviction schedule. */
export interface ScheduleRequest {
  readonly cluster: string;
  readonly readAt: ReadAt;
  /**
   * From which moment it is asked: what is to happen by then is `now`, and hypothetical changes are made then. Unless told the
   * time of the request; for a past revision, when that was captured or made; for a past moment, that.
   */
  readonly asOf?: Date;
  /** Which nodes; all unless told. */
  readonly nodes?: readonly string[];
  readonly nodeSelector?: string;
  readonly pods: ListedPodsFilter;
  readonly events: readonly GivenEvent[];
  readonly outages: readonly GivenOutage[];
  readonly lifecycle: GivenLifecycle;
  /** When the controller manager was started last, where that is known better than by its lease. */
  readonly controllerStartedAt?: Date;
  /** How far failures of nodes are followed, in seconds after `asOf`. */
  readonly horizonSeconds: number;
  /** Whether to plan where evicted pods could land. */
  readonly landing: boolean;
  readonly page: PageRequest;
  /** Where the request's members stand: `input` among the arguments of GraphQL, nothing in a body of REST. */
  readonly root: '' | 'input';
}
