import { expect, it } from '@jest/globals';
import { askedClusters } from './asked-clusters.js';

it.each([
  ['one by its id', 'select name from clusters where id = $1', [7], [7]],
  ['one by its id as text', 'select from revisions where cluster_id = $1::bigint and number = $2', ['7', 3], [7]],
  ['several in a list', 'select from clusters c where c.id = any($2::bigint[])', ['x', [7, 8]], [7, 8]],
  [
    'several, each by its own',
    '(select from taint_trail where cluster_id = $1::bigint) union all (select from taint_trail where cluster_id = $2::bigint)',
    [7, 8],
    [7, 8],
  ],
  ['those of an entity', 'SELECT "c"."id" FROM "clusters" "c" WHERE "c"."id" IN ($1, $2)', [7, 8], [7, 8]],
  [
    'one beside the id of something else',
    'select from taint_changes where cluster_id = $1 and id = $2',
    [7, '0c0f2a4e-0000-4000-8000-000000000000'],
    [7],
  ],
  [
    'one that is written',
    'with a as (insert into revisions select c.id from clusters c where c.id = $3::bigint) select',
    [1, 2, 7],
    [7],
  ],
  ['all, for none is named', 'select count(*) from taint_trail', [], 'all'],
  [
    'all, for what is named is no cluster',
    'select from taint_changes where id = $1',
    ['0c0f2a4e-0000-4000-8000-000000000000'],
    'all',
  ],
  ['none', 'select name from cluster_names where name = $1', ['c'], undefined],
  ['none: where they are', "select from pg_dist_shard where logicalrelid = 'clusters'::regclass", [], undefined],
  ['none: the end of a transaction', 'commit', [], undefined],
  [
    'what is not said, for rows that are written by value',
    'insert into revisions (cluster_id, number) values ($1, $2)',
    [7, 1],
    undefined,
  ],
] as const)('a statement asks about %s', (_, text, values, asked) => {
  expect(askedClusters(text, values)).toEqual(asked);
  expect(askedClusters(text, values)).toEqual(asked);
});
