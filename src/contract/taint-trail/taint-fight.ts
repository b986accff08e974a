import { object, enumType } from '../schema.js';
import { trail } from './trail.js';

export const WRITER_IDENTIFICATION = enumType(
  'WriterIdentification',
  'How a writer is identified: authenticated user, field manager name, or not at all.',
  ['user', 'fieldManager', 'unknown'],
);

export const fightingWriter = object('FightingWriter', 'A writer in a fight.', {
  name: {
    type: 'identifier',
    optional: true,
    description: 'User or field manager; null if unknown.',
    example: 'alice',
  },
  identifiedBy: { type: WRITER_IDENTIFICATION, description: WRITER_IDENTIFICATION.description, example: 'user' },
  changes: { type: 'integer', description: 'Changes by this writer.', example: 2 },
});

export const taintFight = object('TaintFight', "Writers that undo each other's changes of a taint or cordon.", {
  node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
  key: { type: 'identifier', optional: true, description: 'Key of the taint; null for a cordon.' },
  effect: {
    type: 'identifier',
    optional: true,
    description: 'Effect of the taint; null for a cordon.',
    example: 'NoSchedule',
  },
  writers: { type: fightingWriter, list: true, description: 'The writers, most changes first.' },
  turns: { type: 'integer', description: 'How often a writer undid a change by another.', example: 3 },
  first: { type: 'identifier', description: 'Time of the first change.', example: '2026-05-04T03:02:01Z' },
  last: { type: 'identifier', description: 'Time of the last change.', example: '2026-05-04T03:32:01Z' },
  records: {
    type: 'int64',
    list: true,
    description: 'Sequence numbers of the changes; at most 100.',
    example: [4, 5],
  },
  proven: {
    type: 'boolean',
    description:
      'Whether at least two writers are authenticated users. An unidentified writer may be the same as another one.',
    example: true,
  },
});

export const taintFights = object('TaintFights', 'The fights of a trail, latest first.', {
  trail: { type: trail, description: 'The trail.' },
  fights: { type: taintFight, list: true, description: 'The fights, latest first.' },
  total: { type: 'integer', description: 'Number of fights, also beyond `limit`.', example: 1 },
});
