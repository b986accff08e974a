import { ObjectType } from '@nestjs/graphql';
import { taintView } from '../../app/taints/taint-view.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { TaintShape } from './taint-shape.js';

@ObjectType('ChangedTaint', {
  description: 'A taint that stayed under its key and effect, with another value or time.',
})
export class ChangedTaintShape {
  @Shown({ type: () => TaintShape, description: 'As it was.' })
  before!: Plain<TaintShape>;

  @Shown({ type: () => TaintShape, description: 'As it is since.' })
  after!: Plain<TaintShape>;
}

@ObjectType('TaintDifference', {
  description: 'What happened to the taints and the cordon of a node. Another effect is another taint.',
})
export class TaintDifferenceShape {
  @Shown({ type: () => TaintShape, list: true, description: 'Taints that were added.' })
  added!: readonly Plain<TaintShape>[];

  @Shown({ type: () => TaintShape, list: true, description: 'Taints that were removed.' })
  removed!: readonly Plain<TaintShape>[];

  @Shown({ type: () => ChangedTaintShape, list: true, description: 'Taints that were changed.' })
  changed!: readonly Plain<ChangedTaintShape>[];

  @Shown({
    type: 'string',
    optional: true,
    description: '`cordoned` or `uncordoned`; null where the cordon stayed as it was.',
    example: null,
  })
  cordon!: string | null;
}

@ObjectType('SetLabel', { description: 'A label that is new or has another value.' })
export class SetLabelShape {
  @Shown({ type: 'string', description: 'Its key.', example: 'dedicated' })
  key!: string;

  @Shown({ type: 'string', optional: true, description: 'Its value before; null for a new one.', example: null })
  before!: string | null;

  @Shown({ type: 'string', description: 'Its value since.', example: 'ml' })
  after!: string;
}

@ObjectType('RemovedLabel', { description: 'A label that is gone.' })
export class RemovedLabelShape {
  @Shown({ type: 'string', description: 'Its key.', example: 'dedicated' })
  key!: string;

  @Shown({ type: 'string', description: 'Its value before.', example: 'ml' })
  before!: string;
}

@ObjectType('LabelDifference', { description: 'What happened to the labels of a node.' })
export class LabelDifferenceShape {
  @Shown({ type: () => SetLabelShape, list: true, description: 'Labels that are new or have another value.' })
  set!: readonly Plain<SetLabelShape>[];

  @Shown({ type: () => RemovedLabelShape, list: true, description: 'Labels that are gone.' })
  removed!: readonly Plain<RemovedLabelShape>[];
}

export function taintDifferenceShape(difference: TaintDifference): Plain<TaintDifferenceShape> {
  const { added, removed, changed, cordon } = difference;
  return {
    added: added.map(taintView),
    removed: removed.map(taintView),
    changed: changed.map(({ before, after }) => ({ before: taintView(before), after: taintView(after) })),
    cordon: cordon ?? null,
  };
}

export function labelDifferenceShape({ set, removed }: LabelDifference): Plain<LabelDifferenceShape> {
  return { set: set.map(({ key, before, after }) => ({ key, before: before ?? null, after })), removed };
}
