import { ObjectType } from '@nestjs/graphql';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { TaintShape } from './taint-shape.js';

@ObjectType('NodeCondition', { description: 'A condition of a node.' })
export class NodeConditionShape {
  @Shown({ type: 'string', description: 'Its type.', example: 'Ready' })
  type!: string;

  @Shown({ type: 'string', description: 'True, False or Unknown.', example: 'True' })
  status!: string;

  @Shown({ type: 'string', optional: true, description: 'Why, in a word.', example: 'KubeletReady' })
  reason!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Why, in a sentence, where it is kept.' })
  message!: string | null;

  @Shown({ type: 'string', optional: true, description: 'When its status last changed.' })
  lastTransitionTime!: string | null;
}

@ObjectType('Node', { description: 'A node of a cluster.' })
export class NodeShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'node-1' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'When it was created.' })
  createdAt!: string | null;

  @Shown({ type: 'labels', description: 'Its labels.', example: { 'kubernetes.io/hostname': 'node-1' } })
  labels!: Readonly<Record<string, string>>;

  @Shown({ type: () => TaintShape, list: true, description: 'Its taints, in their order.' })
  taints!: readonly Plain<TaintShape>[];

  @Shown({ type: 'boolean', description: 'Whether it is cordoned.', example: false })
  unschedulable!: boolean;

  @Shown({ type: () => NodeConditionShape, list: true, description: 'Its conditions.' })
  conditions!: readonly Plain<NodeConditionShape>[];

  @Shown({ type: 'labels', description: 'What it has to give, by resource.', example: { cpu: '4', memory: '8Gi' } })
  allocatable!: Readonly<Record<string, string>>;

  @Shown({
    type: 'labels',
    description: 'What its pods that have not ended request, by resource, as the scheduler counts it.',
    example: { cpu: '1500m', memory: '2Gi' },
  })
  requested!: Readonly<Record<string, string>>;

  @Shown({ type: 'integer', description: 'Its pods that have not ended.', example: 12 })
  podCount!: number;

  @Shown({ type: 'string', optional: true, description: 'The version of its kubelet.', example: 'v1.34.1' })
  kubeletVersion!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Its operating system.', example: 'linux' })
  operatingSystem!: string | null;

  @Shown({ type: 'string', optional: true, description: "Its processor's architecture.", example: 'amd64' })
  architecture!: string | null;

  @Shown({
    type: 'string',
    description: 'Names its content: a change of this node can be made to hold for this version alone (`If-Match`).',
    example: '9f86d081884c7d659a2feaa0c55ad015',
  })
  version!: string;
}

/** One node with the head of its answer. */
export class NodeAnswerShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => NodeShape, description: 'The node.' })
  node!: Plain<NodeShape>;
}
