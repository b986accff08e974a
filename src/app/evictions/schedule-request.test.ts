import { expect, it } from '@jest/globals';
import { finish } from '../../core/collections/finish.js';
import { type GivenEvent, type ScheduleRequest, stepScheduleIdentity } from './schedule-request.js';

const EVENTS = Array.from({ length: 1_000 }, (_, index): GivenEvent => {
  return { do: 'deleteNode', node: `node-${index}`, at: new Date(index) };
});

function identityOf(events: readonly GivenEvent[]): unknown {
  const request = { cluster: 'prod', readAt: {}, page: {}, view: 'pods', root: '', events };
  return finish(stepScheduleIdentity(request as unknown as ScheduleRequest, undefined));
}

it('identifies the list of a schedule by each of its events', () => {
  expect(identityOf(EVENTS)).toEqual(identityOf([...EVENTS]));
  for (const changed of [0, 511, 512, 999]) {
    const others = EVENTS.map((event, index) => (index === changed ? { ...event, node: 'other' } : event));
    expect(identityOf(others)).not.toEqual(identityOf(EVENTS));
  }
});
