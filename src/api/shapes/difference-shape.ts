import { defined } from '../../core/collections/defined.js';
import { nodeDifference, workloadDifference, differenceHead } from '../../contract/snapshots/difference.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { Intents } from '../../app/reads/read-at.js';
import type { RequestContext } from '../../app/request-context.js';
import type { DiffRevisionsRequest, RevisionsDifference } from '../../app/snapshots/diff-revisions.js';
import { maxAgeSeconds, readMoment } from '../moment.js';
import type { Plain } from './plain.js';
import { scenarioOf } from '../../app/reads/given-scenario.js';
import type { ScenarioBody } from './scenario-body.js';

export const NodeDifferenceShape = responseClass(nodeDifference);
export type NodeDifferenceShape = Response<typeof nodeDifference>;

export const WorkloadDifferenceShape = responseClass(workloadDifference);
export type WorkloadDifferenceShape = Response<typeof workloadDifference>;

export const DifferenceHeadShape = responseClass(differenceHead);
export type DifferenceHeadShape = Response<typeof differenceHead>;

export function differenceHeadShape({ basis, from, difference }: RevisionsDifference): Plain<DifferenceHeadShape> {
  const nodes = { added: 0, removed: 0, changed: 0 };
  for (const { change } of difference.nodes) nodes[change] += 1;
  return { basis, from, summary: { nodes, pods: difference.pods, workloads: difference.workloads.length } };
}

/** What is to be compared, as it arrives. */
export interface GivenDiff {
  readonly from?: string;
  readonly to?: string;
  readonly maxAge?: string;
  /** Changes of `to`. */
  readonly scenario?: ScenarioBody;
  readonly intents?: Intents;
}

export function diffRequest(
  cluster: string,
  { from, to, maxAge, scenario, intents }: GivenDiff,
  { signal }: RequestContext,
): DiffRevisionsRequest {
  return {
    cluster,
    to: {
      ...readMoment(to ?? 'head', 'to'),
      ...maxAgeSeconds(maxAge),
      ...(scenario === undefined ? {} : { scenario: scenarioOf(scenario) }),
    },
    ...(from === undefined ? {} : { from: readMoment(from, 'from') }),
    ...defined({ intents }),
    signal,
  };
}
