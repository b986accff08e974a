import { ObjectType } from '@nestjs/graphql';
import type { WellKnownTaint } from '../../core/kubernetes/well-known-taints.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';

const MATCH = wordsType('TaintKeyMatch', 'Whether an entry is about one key, or about all with a prefix.', [
  'exact',
  'prefix',
]);

@ObjectType('WellKnownTaint', { description: 'What is known of a taint key, or of every key with a prefix.' })
export class WellKnownTaintShape {
  @Shown({
    type: 'string',
    description: 'The key, or the prefix of the keys.',
    example: 'node.kubernetes.io/not-ready',
  })
  key!: string;

  @Shown({ type: MATCH, description: 'One key, or a prefix.', example: 'exact' })
  match!: string;

  @Shown({ type: 'string', description: 'The product whose key it is.', example: 'Kubernetes' })
  product!: string;

  @Shown({ type: 'string', list: true, description: 'The effects it is set with.', example: ['NoSchedule'] })
  effects!: readonly string[];

  @Shown({ type: 'string', optional: true, description: 'The value it is set with, where it has one that matters.' })
  value!: string | null;

  @Shown({ type: 'string', description: 'Who sets it.' })
  setBy!: string;

  @Shown({ type: 'string', description: 'On what occasion.', example: "the node's Ready condition is False" })
  when!: string;

  @Shown({ type: 'string', description: 'Who takes it off, and when.' })
  removedBy!: string;

  @Shown({ type: 'string', optional: true, description: 'The first version that sets it.' })
  since!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The last version that sets it; null while one does.' })
  until!: string | null;

  @Shown({ type: 'boolean', description: 'It comes and goes with the state of its node.', example: true })
  transient!: boolean;

  @Shown({ type: 'boolean', description: 'Nothing sets it any more: it is a string like any other.', example: false })
  legacy!: boolean;

  @Shown({ type: 'string', optional: true, description: 'The key that took its place.' })
  replacedBy!: string | null;

  @Shown({ type: 'string', optional: true, description: 'What surprises.' })
  notes!: string | null;

  @Shown({ type: 'string', description: 'Where this was read.' })
  source!: string;
}

export function wellKnownTaintShape(entry: WellKnownTaint): Plain<WellKnownTaintShape> {
  const { value = null, since = null, until = null, replacedBy = null, notes = null } = entry;
  return { ...entry, value, since, until, replacedBy, notes };
}
