import { ObjectType } from '@nestjs/graphql';
import type { FoundFights } from '../../app/taint-trail/find-fights.js';
import type { TaintFight } from '../../core/audit/taint-fights.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { TrailShape } from './trail-shape.js';

const KNOWN = wordsType(
  'WriterKnown',
  "How a writer is known: an authenticated user, a field manager's name, or not.",
  ['user', 'fieldManager', 'not'],
);

@ObjectType('FightingWriter', { description: 'One side of a fight.' })
export class FightingWriterShape {
  @Shown({ type: 'string', optional: true, description: 'Who; null where nothing is known.', example: 'alice' })
  name!: string | null;

  @Shown({ type: KNOWN, description: 'How that is known.', example: 'user' })
  known!: string;

  @Shown({ type: 'integer', description: 'How many of the changes were made by it.', example: 2 })
  changes!: number;
}

@ObjectType('TaintFight', { description: "Writers who undo one another's changes of a taint, or of a cordon." })
export class TaintFightShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'string', optional: true, description: 'The key of the taint; null for the cordon.' })
  key!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Its effect; null for the cordon.', example: 'NoSchedule' })
  effect!: string | null;

  @Shown({ type: () => FightingWriterShape, list: true, description: 'Who, most changes first.' })
  writers!: readonly Plain<FightingWriterShape>[];

  @Shown({ type: 'integer', description: 'How often one of them undid what another had done.', example: 3 })
  turns!: number;

  @Shown({ type: 'string', description: 'When the first of the changes was made.', example: '2026-05-04T03:02:01Z' })
  first!: string;

  @Shown({ type: 'string', description: 'When the last was.', example: '2026-05-04T03:32:01Z' })
  last!: string;

  @Shown({ type: 'int64', list: true, description: 'The records of the changes, at most a hundred.', example: [4, 5] })
  records!: readonly number[];

  @Shown({
    type: 'boolean',
    description: 'Whether at least two sides are authenticated users: whoever is not known may be one of the others.',
    example: true,
  })
  proven!: boolean;
}

@ObjectType('TaintFights', { description: 'The fights of a trail, the latest first.' })
export class TaintFightsShape {
  @Shown({ type: () => TrailShape, description: 'The trail that they are from.' })
  trail!: Plain<TrailShape>;

  @Shown({ type: () => TaintFightShape, list: true, description: 'The fights, the latest first.' })
  fights!: readonly Plain<TaintFightShape>[];

  @Shown({ type: 'integer', description: 'How many there are, beyond the limit too.', example: 1 })
  total!: number;
}

export function taintFightsShape({ trail, fights, total }: FoundFights): Plain<TaintFightsShape> {
  return { trail, fights: fights.map(fightShape), total };
}

function fightShape({ what, ...fight }: TaintFight): Plain<TaintFightShape> {
  const { key, effect } = what === 'cordon' ? { key: null, effect: null } : what;
  return { ...fight, key, effect };
}
