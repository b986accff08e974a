import { ObjectType } from '@nestjs/graphql';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { BasisShape } from './basis-shape.js';
import { PodDisruptionShape } from './disruption-kind-shape.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { WorkloadNameShape } from './workload-name-shape.js';

@ObjectType('Toleration', { description: 'A toleration as it is written; what is absent is empty, or null.' })
export class TolerationShape {
  @Shown({ type: 'string', description: 'The key; empty for every key.', example: 'nvidia.com/gpu' })
  key!: string;

  @Shown({ type: 'string', description: 'The operator; an empty one is Equal.', example: 'Exists' })
  operator!: string;

  @Shown({ type: 'string', description: 'The value.', example: '' })
  value!: string;

  @Shown({ type: 'string', description: 'The effect; empty for every effect.', example: 'NoSchedule' })
  effect!: string;

  @Shown({ type: 'int64', optional: true, description: 'How long NoExecute is tolerated; null for ever.' })
  tolerationSeconds!: Int64 | null;

  @Shown({ type: 'string', description: 'In few words.', example: 'nvidia.com/gpu Exists NoSchedule' })
  text!: string;
}

@ObjectType('Pod', { description: 'A pod of a cluster.' })
export class PodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'When it was created.' })
  createdAt!: string | null;

  @Shown({ type: 'labels', description: 'Its labels.', example: { app: 'web' } })
  labels!: Readonly<Record<string, string>>;

  @Shown({ type: 'string', optional: true, description: 'The node that it is bound to, stored or not.' })
  node!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The node that preemption has nominated it to.' })
  nominatedNode!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Its phase.', example: 'Running' })
  phase!: string | null;

  @Shown({ type: () => WorkloadNameShape, description: 'What it belongs to.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: () => TolerationShape, list: true, description: 'Its tolerations, in their order.' })
  tolerations!: readonly Plain<TolerationShape>[];

  @Shown({ type: 'labels', description: 'What it requests, by resource.', example: { cpu: '250m' } })
  requests!: Readonly<Record<string, string>>;

  @Shown({ type: 'string', description: 'Guaranteed, Burstable or BestEffort.', example: 'Burstable' })
  qosClass!: string;

  @Shown({ type: 'integer', optional: true, description: 'Its priority.', example: 0 })
  priority!: number | null;

  @Shown({ type: 'string', optional: true, description: 'The name of its priority class.' })
  priorityClass!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The scheduler that it asks for.' })
  schedulerName!: string | null;

  @Shown({
    type: () => PodDisruptionShape,
    optional: true,
    description: 'Which disruption its condition DisruptionTarget tells of; null where it has none.',
  })
  disruption!: Plain<PodDisruptionShape> | null;
}

/** One pod with the head of its answer. */
export class PodAnswerShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => PodShape, description: 'The pod.' })
  pod!: Plain<PodShape>;
}

@ObjectType('TolerationSet', { description: 'One ordered list of tolerations, and the pods that have exactly it.' })
export class TolerationSetShape {
  @Shown({ type: () => TolerationShape, list: true, description: 'The tolerations, in their order.' })
  tolerations!: readonly Plain<TolerationShape>[];

  @Shown({ type: 'integer', description: 'How many pods have it, those that ended included.', example: 120 })
  pods!: number;

  @Shown({ type: 'integer', description: 'How many workloads these pods belong to.', example: 14 })
  workloads!: number;

  @Shown({ type: () => WorkloadNameShape, list: true, description: 'A few of the workloads.' })
  examples!: readonly Plain<WorkloadNameShape>[];
}
