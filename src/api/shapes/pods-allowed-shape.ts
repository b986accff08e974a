import { ObjectType } from '@nestjs/graphql';
import type { JsonValue } from '../../core/json/json-value.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';
import { SCENARIO, type ScenarioBody } from './scenario-body.js';
import { TaintShape } from './taint-shape.js';
import { WorkloadNameShape } from './workload-name-shape.js';

@ObjectType('AllowedPods', { description: 'Pods of one workload that lack the same.' })
export class AllowedEntryShape {
  @Shown({ type: () => WorkloadNameShape, description: 'The workload.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({
    type: 'boolean',
    description: 'Whether they tolerate every NoSchedule and NoExecute taint.',
    example: false,
  })
  allowed!: boolean;

  @Shown({ type: 'integer', description: 'How many pods, those that ended left out.', example: 3 })
  pods!: number;

  @Shown({ type: 'string', list: true, description: 'A few of them, as namespace/name.', example: ['default/web-0'] })
  examples!: readonly string[];

  @Shown({
    type: () => TaintShape,
    list: true,
    description: 'The NoSchedule and NoExecute taints that they do not tolerate.',
  })
  untolerated!: readonly Plain<TaintShape>[];

  @Shown({
    type: () => TaintShape,
    list: true,
    description: 'The PreferNoSchedule taints that they do not tolerate: the scheduler puts such a node last.',
  })
  discouraged!: readonly Plain<TaintShape>[];
}

@ObjectType('AllowedCounts', { description: 'How many are allowed, and how many are not, whatever the filters.' })
export class AllowedCountsShape {
  @Shown({ type: 'integer', description: 'Allowed.', example: 12 })
  allowed!: number;

  @Shown({ type: 'integer', description: 'Not allowed; of workloads, those with a pod that is not.', example: 108 })
  refused!: number;
}

/** What an answer says before its list. */
@ObjectType({ isAbstract: true })
export abstract class PodsAllowedHeadShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({
    type: () => TaintShape,
    list: true,
    description: 'What the pods were held against; for a cordoned node with the taint that its cordon counts as.',
  })
  taints!: readonly Plain<TaintShape>[];

  @Shown({ type: () => AllowedCountsShape, description: 'Pods.' })
  pods!: Plain<AllowedCountsShape>;

  @Shown({ type: () => AllowedCountsShape, description: 'Workloads.' })
  workloads!: Plain<AllowedCountsShape>;
}

export class PodsAllowedBody {
  @Given({
    type: 'json',
    list: true,
    maximumLength: 100,
    description: "The taints, in kubectl's syntax (`key=value:Effect`) or as objects with key, value and effect.",
    example: ['dedicated=gpu:NoSchedule'],
  })
  taints!: JsonValue[];

  @Given(SCENARIO)
  scenario?: ScenarioBody;
}
