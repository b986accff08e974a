import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { evictionScheduleInput } from '../../contract/evictions/eviction-schedule-request.js';
import { requestClass } from '../contract/object-classes.js';
import type { ObjectType } from '../../contract/schema.js';
import { scenarioImpactsRequest } from '../../contract/scenarios/scenario-impact.js';
import { stepReading, type EnvelopeReading } from './read-envelope.js';

function read(
  value: unknown,
  type: ObjectType = evictionScheduleInput,
): { readonly reading: EnvelopeReading<object>; readonly steps: number } {
  const steps = stepReading(requestClass(type), value);
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return { reading: step.value, steps: count };
  }
}

const event = { at: '2026-05-04T12:00:00Z', do: 'deleteNode', node: 'n' };
const events = (count: number, others: Readonly<Record<number, unknown>> = {}): unknown[] =>
  Array.from({ length: count }, (_, at) => (at in others ? others[at] : event));
const placesOf = ({ errors }: EnvelopeReading<object>): (readonly [string, string])[] =>
  errors.map(({ pointer = '', code }) => [pointer, code]);

describe('reading a request with a long list', () => {
  it('yields between the items', () => {
    const { reading, steps } = read({ events: events(2500) });
    expect([reading.errors, steps > 2500]).toEqual([[], true]);
    expect((reading.envelope as { events: unknown[] }).events).toHaveLength(2500);
  });

  it('finds the same errors as in a short one, in every part of the list and beside it', () => {
    const wrong = { 2: { at: 'noon', do: 'deleteNode' }, 7: 'text', 9: { ...event, taints: 'x', more: 1 } };
    const places = placesOf(read({ horizonSeconds: -1, events: events(10, wrong) }).reading);
    expect(places).toHaveLength(5);
    const moved = places.map(([pointer, code]) => [
      pointer.replace(/^\/events\/(\d)/, (_, at: string) => `/events/${150 + Number(at)}`),
      code,
    ]);
    const long = read({
      horizonSeconds: -1,
      events: events(450, Object.fromEntries(Object.entries(wrong).map(([at, one]) => [150 + Number(at), one]))),
    });
    const inOrder = (found: readonly unknown[]): string[] => found.map((one) => JSON.stringify(one)).sort();
    expect(inOrder(placesOf(long.reading))).toEqual(inOrder(moved));
  });

  it('finds that the list is too long', () => {
    expect(placesOf(read({ events: events(10_001) }).reading)).toEqual([['/events', 'arrayMaxSize']]);
  });

  it('finds the same errors in a list of a member', () => {
    const change = { removePods: { namespace: 'a' } };
    const wrong = { 2: { removePods: { namespace: 7 } }, 5: 'text', 8: { removePods: [], more: 1 } };
    const changes = (count: number, first: number): unknown[] =>
      Array.from({ length: count }, (_, at) => (wrong as Readonly<Record<number, unknown>>)[at - first] ?? change);
    const errorsOf = (count: number, first: number): readonly string[] =>
      placesOf(read({ scenario: { changes: changes(count, first), more: 1 } }, scenarioImpactsRequest).reading)
        .map((place) => JSON.stringify(place))
        .sort();
    const short = errorsOf(10, 0);
    expect(short).toHaveLength(5);
    expect(errorsOf(450, 150)).toEqual(short.map((place) => place.replace(/(changes.)(\d)/, '$115$2')));
    const { reading, steps } = read({ scenario: { changes: changes(2500, 2500) } }, scenarioImpactsRequest);
    expect([reading.errors, steps > 2500]).toEqual([[], true]);
    const tooLong = read({ scenario: { changes: changes(10_001, 10_001) } }, scenarioImpactsRequest);
    expect(placesOf(tooLong.reading)).toEqual([['/scenario/changes', 'arrayMaxSize']]);
    const odd = read({ events: { constructor: { name: 'x' } }, scenario: { changes: Object.create(null) as object } });
    expect(placesOf(odd.reading).length).toBeGreaterThan(0);
  });
});
