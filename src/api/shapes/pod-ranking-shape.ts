import { ObjectType } from '@nestjs/graphql';
import { BasisShape } from './basis-shape.js';
import { NodeDifferenceShape, PodDifferenceShape } from './difference-shape.js';
import { ReasonShape } from './placement-shape.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { PlacingSchedulerShape, RankDifferenceShape, RankedNodeShape } from './ranking-shape.js';

@ObjectType('ChangesSincePlaced', { description: 'What has changed since a pod came to its node.' })
class ChangesSincePlacedShape {
  @Shown({ type: 'integer', description: 'The first stored revision that has the pod on its node.', example: 1 })
  revision!: number;

  @Shown({ type: 'time', description: 'When that was captured.' })
  capturedAt!: Date;

  @Shown({
    type: 'boolean',
    description: 'Whether it is the oldest that is stored: the pod may have come before.',
    example: true,
  })
  isOldest!: boolean;

  @Shown({ type: 'integer', description: 'Nodes that are there since.', example: 0 })
  nodesAdded!: number;

  @Shown({ type: 'integer', description: 'Nodes that are there no more.', example: 0 })
  nodesRemoved!: number;

  @Shown({ type: 'integer', description: 'Nodes that are otherwise, by what placement can see.', example: 0 })
  nodesChanged!: number;

  @Shown({
    type: 'string',
    list: true,
    description: 'Nodes that rank before its own and were not there then; up to ten.',
    example: [],
  })
  aheadAdded!: readonly string[];

  @Shown({
    type: 'string',
    list: true,
    description: 'Nodes that rank before its own and were otherwise then; up to ten.',
    example: [],
  })
  aheadChanged!: readonly string[];

  @Shown({ type: () => PodDifferenceShape, description: 'The pods of the cluster.' })
  pods!: Plain<PodDifferenceShape>;

  @Shown({
    type: () => NodeDifferenceShape,
    optional: true,
    description: 'How its own node differs: taints, labels, amounts; null where it does not.',
    example: null,
  })
  node!: Plain<NodeDifferenceShape> | null;
}

@ObjectType('PodRanking', { description: "How a pod's node ranks for it today, and what has changed since it came." })
export class PodRankingShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({
    type: () => PlacingSchedulerShape,
    optional: true,
    description: 'The profile that answers; null where nothing is stored of the scheduler: the default profile.',
    example: null,
  })
  scheduler!: Plain<PlacingSchedulerShape> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Its node; null of a pod that is on none, or on one that is not stored.',
    example: 'node-1',
  })
  node!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Whether its node could take it today, as if it were not there.',
    example: 'feasible',
  })
  verdict!: string | null;

  @Shown({ type: () => ReasonShape, list: true, description: 'Why its node could not.', example: [] })
  reasons!: readonly Plain<ReasonShape>[];

  @Shown({
    type: () => RankedNodeShape,
    optional: true,
    description: 'The place of its node among all that could take it; null where it could not.',
  })
  place!: Plain<RankedNodeShape> | null;

  @Shown({ type: 'integer', description: 'How many nodes are ranked.', example: 2 })
  nodeCount!: number;

  @Shown({ type: 'integer', description: 'How many have the greatest total.', example: 1 })
  tied!: number;

  @Shown({ type: 'integer', description: 'How many rank before its own.', example: 0 })
  aheadCount!: number;

  @Shown({ type: () => RankedNodeShape, list: true, description: 'The best of those.', example: [] })
  ahead!: readonly Plain<RankedNodeShape>[];

  @Shown({
    type: () => RankDifferenceShape,
    optional: true,
    description: 'The best node against its own; null where its own is among the best.',
    example: null,
  })
  difference!: Plain<RankDifferenceShape> | null;

  @Shown({
    type: 'string',
    list: true,
    description: 'Plugins that are not known here, or do not know, and could make it another order.',
    example: [],
  })
  uncertain!: readonly string[];

  @Shown({
    type: 'string',
    list: true,
    description: 'What was taken for given because the kind that would tell was never loaded.',
    example: [],
  })
  assumptions!: readonly string[];

  @Shown({
    type: () => ChangesSincePlacedShape,
    optional: true,
    description: 'What has changed since it came to its node, as far as stored revisions tell.',
  })
  changes!: Plain<ChangesSincePlacedShape> | null;
}
