import { defined } from '../../core/collections/defined.js';
import { ObjectType } from '@nestjs/graphql';
import type { Intents } from '../../app/reads/read-at.js';
import type { RequestEdge } from '../../app/request-edge.js';
import type { DiffRevisionsRequest, RevisionsDifference } from '../../app/snapshots/diff-revisions.js';
import { maxAgeSeconds, readMoment } from '../moment.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { scenarioOf, type ScenarioBody } from './scenario-body.js';

@ObjectType('NamedChange', { description: 'A value by name before and after; null where there was, or is, none.' })
export class NamedChangeShape {
  @Shown({ type: 'string', description: 'The key of the label, or the resource.', example: 'nvidia.com/gpu' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'Before.', example: null })
  before!: string | null;

  @Shown({ type: 'string', optional: true, description: 'After.', example: '8' })
  after!: string | null;
}

@ObjectType('TextChange', { description: 'A value before and after; null where there was, or is, none.' })
export class TextChangeShape {
  @Shown({ type: 'string', optional: true, description: 'Before.', example: 'True' })
  before!: string | null;

  @Shown({ type: 'string', optional: true, description: 'After.', example: 'Unknown' })
  after!: string | null;
}

@ObjectType('BooleanChange', { description: 'A value before and after; null where there was, or is, no node.' })
export class BooleanChangeShape {
  @Shown({ type: 'boolean', optional: true, description: 'Before.', example: false })
  before!: boolean | null;

  @Shown({ type: 'boolean', optional: true, description: 'After.', example: true })
  after!: boolean | null;
}

const NODE_CHANGE = wordsType('NodeChange', 'What became of a node.', ['added', 'removed', 'changed']);

@ObjectType('NodeDifference', { description: 'What placement can see of the change of one node.' })
export class NodeDifferenceShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-7' })
  node!: string;

  @Shown({ type: NODE_CHANGE, description: 'What became of it.', example: 'changed' })
  change!: string;

  @Shown({ type: 'string', list: true, description: 'Taints that it has now.', example: ['gpu=true:NoSchedule'] })
  taintsAdded!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Taints that it had.', example: [] })
  taintsRemoved!: readonly string[];

  @Shown({ type: () => NamedChangeShape, list: true, description: 'Labels that differ, by key.' })
  labels!: readonly Plain<NamedChangeShape>[];

  @Shown({ type: () => NamedChangeShape, list: true, description: 'Allocatable amounts that differ, by resource.' })
  allocatable!: readonly Plain<NamedChangeShape>[];

  @Shown({ type: () => BooleanChangeShape, optional: true, description: 'Cordoned or not; null when it is the same.' })
  cordoned!: Plain<BooleanChangeShape> | null;

  @Shown({ type: () => TextChangeShape, optional: true, description: 'The condition Ready; null when it is the same.' })
  ready!: Plain<TextChangeShape> | null;

  @Shown({ type: () => TextChangeShape, optional: true, description: 'Its kubelet; null when it is the same.' })
  kubeletVersion!: Plain<TextChangeShape> | null;
}

@ObjectType('WorkloadDifference', { description: 'How the pods of one workload differ.' })
export class WorkloadDifferenceShape {
  @Shown({
    type: 'string',
    description: 'The kind of its outermost controller; Pod for pods without one.',
    example: 'Deployment',
  })
  kind!: string;

  @Shown({ type: 'string', description: 'The namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'The name.', example: 'web' })
  name!: string;

  @Shown({ type: 'integer', description: 'Pods that it had.', example: 3 })
  before!: number;

  @Shown({ type: 'integer', description: 'Pods that it has.', example: 4 })
  after!: number;

  @Shown({ type: 'integer', description: 'Pods that came.', example: 2 })
  added!: number;

  @Shown({ type: 'integer', description: 'Pods that went.', example: 1 })
  removed!: number;

  @Shown({ type: 'integer', description: 'Pods that left their node and kept their name.', example: 0 })
  moved!: number;

  @Shown({ type: 'integer', description: 'Pods that had no node, and have one.', example: 0 })
  scheduled!: number;
}

@ObjectType('PodDifference', { description: 'All pods together.' })
export class PodDifferenceShape {
  @Shown({ type: 'integer', description: 'How many there were.', example: 120 })
  before!: number;

  @Shown({ type: 'integer', description: 'How many there are.', example: 121 })
  after!: number;

  @Shown({ type: 'integer', description: 'Pods that came.', example: 2 })
  added!: number;

  @Shown({ type: 'integer', description: 'Pods that went.', example: 1 })
  removed!: number;

  @Shown({ type: 'integer', description: 'Pods that left their node and kept their name.', example: 0 })
  moved!: number;

  @Shown({ type: 'integer', description: 'Pods that had no node, and have one.', example: 0 })
  scheduled!: number;
}

@ObjectType('NodeChangeCounts', { description: 'All nodes together.' })
export class NodeChangeCountsShape {
  @Shown({ type: 'integer', description: 'Nodes that came.', example: 1 })
  added!: number;

  @Shown({ type: 'integer', description: 'Nodes that went.', example: 0 })
  removed!: number;

  @Shown({ type: 'integer', description: 'Nodes that differ.', example: 3 })
  changed!: number;
}

@ObjectType('DifferenceSummary', { description: 'How much differs, whatever the page.' })
export class DifferenceSummaryShape {
  @Shown({ type: () => NodeChangeCountsShape, description: 'Nodes.' })
  nodes!: Plain<NodeChangeCountsShape>;

  @Shown({ type: () => PodDifferenceShape, description: 'Pods.' })
  pods!: Plain<PodDifferenceShape>;

  @Shown({ type: 'integer', description: 'Workloads whose pods differ.', example: 2 })
  workloads!: number;
}

@ObjectType('ComparedRevision', { description: 'The revision that another one is compared with.' })
export class ComparedRevisionShape {
  @Shown({ type: 'integer', description: 'Its number.', example: 6 })
  revision!: number;

  @Shown({ type: 'time', description: 'When the state was so in the cluster.', example: '2026-05-04T03:02:01.000Z' })
  capturedAt!: Date;
}

/** What REST and GraphQL have in common: all but the lists, of which each cuts pages in its own way. */
@ObjectType({ isAbstract: true })
export abstract class DifferenceHeadShape {
  @Shown({ type: () => BasisShape, description: 'The revision `to`.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => ComparedRevisionShape, description: 'The revision `from`.' })
  from!: Plain<ComparedRevisionShape>;

  @Shown({ type: () => DifferenceSummaryShape, description: 'How much differs, whatever the page.' })
  summary!: Plain<DifferenceSummaryShape>;
}

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
  { signal }: RequestEdge,
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
