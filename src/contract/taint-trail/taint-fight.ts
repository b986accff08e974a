import { object, enumType } from '../schema.js';
import { trail } from './trail.js';

export const KNOWN = enumType(
  'WriterKnown',
  "How a writer is known: an authenticated user, a field manager's name, or not.",
  ['user', 'fieldManager', 'not'],
);

export const fightingWriter = object('FightingWriter', 'One side of a fight.', {
  name: { type: 'string', optional: true, description: 'Who; null where nothing is known.', example: 'alice' },
  known: { type: KNOWN, description: 'How that is known.', example: 'user' },
  changes: { type: 'integer', description: 'How many of the changes were made by it.', example: 2 },
});

export const taintFight = object('TaintFight', "Writers who undo one another's changes of a taint, or of a cordon.", {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  key: { type: 'string', optional: true, description: 'The key of the taint; null for the cordon.' },
  effect: { type: 'string', optional: true, description: 'Its effect; null for the cordon.', example: 'NoSchedule' },
  writers: { type: fightingWriter, list: true, description: 'Who, most changes first.' },
  turns: { type: 'integer', description: 'How often one of them undid what another had done.', example: 3 },
  first: { type: 'string', description: 'When the first of the changes was made.', example: '2026-05-04T03:02:01Z' },
  last: { type: 'string', description: 'When the last was.', example: '2026-05-04T03:32:01Z' },
  records: {
    type: 'int64',
    list: true,
    description: 'The records of the changes, at most a hundred.',
    example: [4, 5],
  },
  proven: {
    type: 'boolean',
    description: 'Whether at least two sides are authenticated users: whoever is not known may be one of the others.',
    example: true,
  },
});

export const taintFights = object('TaintFights', 'The fights of a trail, the latest first.', {
  trail: { type: trail, description: 'The trail that they are from.' },
  fights: { type: taintFight, list: true, description: 'The fights, the latest first.' },
  total: { type: 'integer', description: 'How many there are, beyond the limit too.', example: 1 },
});
