import { expect } from '@jest/globals';
import { buildSchema, getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { readFileSync } from 'node:fs';
import { Clock } from '../../src/app/clock.js';
import { without } from '../../src/core/collections/without.js';
import { list, pod, send } from './dumps.js';
import { inOneOrder, podsOfGroup, type ShownGroup } from './expand-group.js';
import type { Answer, TestService } from './service.js';

/** A time of a response: one text if its earliest and latest are equal. */
export type ShownMoment = string | readonly [earliest: string | null, latest: string] | null;

/** One pod of a response. */
export interface ShownPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly action: string;
  readonly at: { readonly earliest: string | null; readonly latest: string } | null;
  readonly because: string;
  readonly base: { readonly earliest: string | null; readonly latest: string; readonly known: string } | null;
  readonly taints: readonly Readonly<Record<string, unknown>>[];
  readonly overdue: boolean;
  readonly cancelled: { readonly at: unknown; readonly why: string } | null;
  readonly mayHaveLeftSince: string | null;
  readonly departure: Readonly<Record<string, unknown>> | null;
  readonly keptWithout: unknown;
  readonly secondsToOutlast: number | null;
  readonly disruption: unknown;
  readonly budgets: readonly string[];
  readonly notes: readonly string[];
}

const GRAPHQL_PARAMETERS: Readonly<Record<string, string>> = {
  revision: 'Int',
  at: 'DateTime',
  intents: 'Intents',
};

/** Requests the eviction schedule of one cluster. */
export class TestSchedules {
  constructor(
    private readonly service: TestService,
    readonly cluster: string,
  ) {}

  get path(): string {
    return `/api/v1/clusters/${this.cluster}/eviction-schedules`;
  }

  async store(objects: readonly object[], capturedAt: string, query = ''): Promise<void> {
    const path = `/api/v1/clusters/${this.cluster}/snapshots?createCluster=true&capturedAt=${capturedAt}${query}`;
    const answer = await send(this.service, path, list(objects));
    if (answer.status !== 201) throw new Error(`the snapshot was not taken in: ${answer.text}`);
  }

  ask(body: object, query = ''): Promise<Answer> {
    return this.service.request('POST', `${this.path}${query}`, { view: 'pods', ...body });
  }

  /** Fails unless the response is 200. */
  async schedule(body: object, query = ''): Promise<Answer> {
    const answer = await this.ask(body, query);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  }

  /** The pods of a response by name. */
  async pods(body: object, query = ''): Promise<ReadonlyMap<string, ShownPod>> {
    const answer = await this.schedule({ limit: 1000, ...body }, query);
    return new Map((answer.at('items') as ShownPod[]).map((pod) => [pod.name, pod]));
  }

  /** The same request over GraphQL, with every field. */
  async graphql(body: object, parameters: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const { scenario, limit, continue: after, ...others } = body as Readonly<Record<string, unknown>>;
    const input = without(others, 'view');
    const types = { ...GRAPHQL_PARAMETERS, scenario: 'ScenarioInput', first: 'Int', after: 'String' };
    const given = Object.entries({ scenario, first: limit, after, ...parameters }).filter(
      ([, value]) => value !== undefined,
    );
    const declared = given.map(([name]) => `, $${name}: ${types[name as keyof typeof types]}`).join('');
    const passed = given.map(([name]) => `, ${name}: $${name}`).join('');
    const query = `query ($cluster: String!, $input: EvictionScheduleInput${declared}) {
      evictionSchedule(cluster: $cluster, input: $input${passed}) ${everyField('EvictionSchedule')}
    }`;
    return this.service.graphql(query, { cluster: this.cluster, input, ...Object.fromEntries(given) });
  }

  /** The GraphQL response in the form of the REST response. */
  async overGraphql(body: object, parameters: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const answer = await this.graphql(body, parameters);
    if (answer.at('errors') !== undefined) throw new Error(answer.text);
    const { pods, ...head } = answer.at('data.evictionSchedule') as Record<string, unknown>;
    return { ...head, groups: [], items: (pods as { nodes: unknown }).nodes };
  }
}

/** Removes members that only REST has, and those that differ each time. */
const INCOMPARABLE: ReadonlySet<string> = new Set(['continue', 'remainingItemCount', 'decisionId', 'ageSeconds']);

function comparable(schedule: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schedule, (name, value: unknown) => (INCOMPARABLE.has(name) ? undefined : value)),
  ) as unknown;
}

export function shownMoment(
  moment: { readonly earliest: string | null; readonly latest: string } | null | undefined,
): ShownMoment {
  if (moment == null) return null;
  return moment.earliest === moment.latest ? moment.latest : [moment.earliest, moment.latest];
}

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** A selection of every field of a type, recursively. */
function everyField(name: string): string {
  const fields = Object.values((schema.getType(name) as GraphQLObjectType).getFields())
    .filter((field) => field.args.length === 0 && field.name !== 'edges')
    .map((field) => {
      const type = getNamedType(field.type);
      return isObjectType(type) ? `${field.name} ${everyField(type.name)}` : field.name;
    });
  return `{ ${fields.join(' ')} }`;
}

/** A clock that tests set. */
export class SetClock extends Clock {
  at = '2026-05-04T13:00:00Z';

  override now(): Date {
    return new Date(this.at);
  }
}

export const tolerates = (key: string, tolerationSeconds?: number): object => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});
export const on = (nodeName: string, name: string, tolerations: readonly object[] = [], more: object = {}): object =>
  pod(`d/${name}`, nodeName, { tolerations, ...more });
export const withMore = (object: object, more: { readonly metadata?: object; readonly status?: object }): object => {
  const { metadata, status = {} } = object as { metadata: object; status?: object };
  return { ...object, metadata: { ...metadata, ...more.metadata }, status: { ...status, ...more.status } };
};

export const podsOf = (answer: { at(path: string): unknown }): ReadonlyMap<string, ShownPod> =>
  new Map((answer.at('items') as ShownPod[]).map((one) => [one.name, one]));

/** Checks that the groups of a response contain everything that its pods have. */
async function expectSameInGroups(schedules: TestSchedules, body: object, query: readonly string[]): Promise<void> {
  const [pods, groups] = await Promise.all(
    ['pods', 'groups'].map((view) =>
      schedules.schedule({ ...body, view, limit: 1000 }, query.length > 0 ? `?${query.join('&')}` : ''),
    ),
  );
  const expanded = (groups!.at('groups') as ShownGroup[]).flatMap(podsOfGroup);
  expect(inOneOrder(expanded)).toEqual(inOneOrder(pods!.at('items') as object[]));
  const headOf = (answer: Answer) => comparable(without(answer.json as Record<string, unknown>, 'items', 'groups'));
  expect(headOf(groups!)).toEqual(headOf(pods!));
}

/** Returns the REST response, which must equal the GraphQL response. */
export async function both(schedules: TestSchedules, body: object, parameters: Readonly<Record<string, unknown>> = {}) {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const answer = await schedules.schedule(body, query.length > 0 ? `?${query.join('&')}` : '');
  expect(comparable(await schedules.overGraphql(body, parameters))).toEqual(comparable(answer.json));
  if (!('continue' in body)) await expectSameInGroups(schedules, body, query);
  return answer;
}
