import { ObjectType } from '@nestjs/graphql';
import type { Plain } from './plain.js';
import { Shown } from './property.js';

@ObjectType('KnownTaintKey', { description: 'What the catalogue of well-known taints says of a key, in short.' })
export class KnownKeyShape {
  @Shown({ type: 'string', description: 'The product whose key it is.', example: 'Kubernetes' })
  product!: string;

  @Shown({ type: 'string', description: 'Who sets it, when, and who takes it off.' })
  summary!: string;

  @Shown({ type: 'boolean', description: 'Nothing sets it any more: it is a string like any other.', example: false })
  legacy!: boolean;

  @Shown({ type: 'string', optional: true, description: 'The key that took its place.' })
  replacedBy!: string | null;
}

@ObjectType('Taint', { description: 'A taint of a node.' })
export class TaintShape {
  @Shown({ type: 'string', description: 'The key.', example: 'nvidia.com/gpu' })
  key!: string;

  @Shown({ type: 'string', description: 'The value; empty where there is none.', example: 'true' })
  value!: string;

  @Shown({ type: 'string', description: 'NoSchedule, PreferNoSchedule or NoExecute.', example: 'NoSchedule' })
  effect!: string;

  @Shown({ type: 'string', optional: true, description: 'When it was added, where Kubernetes noted it.' })
  timeAdded!: string | null;

  @Shown({ type: 'string', description: 'As kubectl prints it.', example: 'nvidia.com/gpu=true:NoSchedule' })
  text!: string;

  @Shown({ type: () => KnownKeyShape, optional: true, description: 'What is known of the key; null for other keys.' })
  wellKnown!: Plain<KnownKeyShape> | null;
}

@ObjectType('TaintSet', { description: 'One ordered list of taints, and the nodes that carry exactly it.' })
export class TaintSetShape {
  @Shown({ type: () => TaintShape, list: true, description: 'The taints, in their order; none for untainted nodes.' })
  taints!: readonly Plain<TaintShape>[];

  @Shown({ type: 'integer', description: 'How many nodes carry it.', example: 12 })
  nodes!: number;

  @Shown({ type: 'string', list: true, description: 'The names of a few of them.', example: ['node-1'] })
  examples!: readonly string[];
}

@ObjectType('Tolerators', { description: 'How many tolerate a taint, on whatever node; what ended does not count.' })
export class ToleratorsShape {
  @Shown({ type: 'integer', description: 'Pods.', example: 40 })
  pods!: number;

  @Shown({ type: 'integer', description: 'Workloads all of whose pods do.', example: 6 })
  workloads!: number;
}

@ObjectType('InventoryTaint', { description: 'A taint by key, value and effect.' })
export class InventoryTaintShape {
  @Shown({ type: () => TaintShape, description: 'The taint.' })
  taint!: Plain<TaintShape>;

  @Shown({ type: 'integer', description: 'How many nodes carry it.', example: 12 })
  nodes!: number;

  @Shown({ type: () => ToleratorsShape, description: 'Who tolerates it.' })
  toleratedBy!: Plain<ToleratorsShape>;
}

@ObjectType('TaintKey', { description: 'Everything that a cluster says of one taint key.' })
export class TaintKeyShape {
  @Shown({ type: 'string', description: 'The key.', example: 'nvidia.com/gpu' })
  key!: string;

  @Shown({ type: () => KnownKeyShape, optional: true, description: 'What is known of the key; null for other keys.' })
  wellKnown!: Plain<KnownKeyShape> | null;

  @Shown({ type: 'integer', description: 'Nodes with at least one taint of the key.', example: 12 })
  nodes!: number;

  @Shown({ type: 'string', list: true, description: 'The names of a few of them.', example: ['node-1'] })
  examples!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Its values, sorted; an empty one for none.', example: ['true'] })
  values!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Its effects, sorted.', example: ['NoSchedule'] })
  effects!: readonly string[];

  @Shown({ type: () => InventoryTaintShape, list: true, description: 'By value and effect.' })
  taints!: readonly Plain<InventoryTaintShape>[];

  @Shown({ type: () => ToleratorsShape, description: 'Who tolerates every one of its taints.' })
  toleratedBy!: Plain<ToleratorsShape>;
}
