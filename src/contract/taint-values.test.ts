import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { heldAt, heldBy, objectsOf } from './held-by.js';
import { listOf, type Question } from './question.js';
import { object, type Member, type MemberType, type ObjectType, type UnionType } from './schema.js';

/** Members named `value` or `values` that hold no value of a taint or toleration, with what they hold instead. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  'BudgetArithmetic.value': 'a number or percentage of a PodDisruptionBudget',
  'DeviceAttribute.value': 'an attribute of a device',
  'DeviceCapacity.value': 'an amount',
  'EntrySet.value': 'the value of a label',
  'LabelSelectorRequirement.values': 'values of a label',
  'LimitedScope.values': 'values of a quota scope',
  'QuotaScope.values': 'values of a quota scope',
  'TopologyDomain.value': 'the value of a topology label',
  'TopologyFact.value': 'the value of a topology label',
  'UnmetRequirement.values': 'values of a label or field',
  'WellKnownTaint.value': 'part of the published catalogue, the same for every cluster',
};

/** JSON of any form: masked by the keys in it. */
const ANY_JSON: Readonly<Record<string, string>> = {
  'ChangedExpectations.file': 'the file as it was sent',
  'ChangedGuardrails.document': 'the document as it was sent',
  'ConnectionPermission.rule': 'a rule of RBAC, which the service makes',
  'DecisionDetails.answer': 'an answer of any type',
  'DecisionDetails.question': 'a question of any type, only for callers who may see values',
  'DecisionRecord.answer': 'an answer of any type',
  'DecisionRecord.question': 'a question of any type, only for callers who may see values',
  'DeclaredSchedulerConfiguration.document': 'the configuration as it was sent',
  'DownloadedCase.input': 'objects, with other words for callers who may not see values',
  'DownloadedCase.observed': 'objects, with other words for callers who may not see values',
  'FollowedCluster.rules': 'rules of RBAC, which the service makes',
  'FollowedKind.rule': 'a rule of RBAC, which the service makes',
  'ManifestList.items': 'manifests',
  'SchedulerConfiguration.document': 'the configuration as it was sent',
  'SchedulerProfile.arguments': 'arguments of plugins',
  'StoredExpectations.file': 'the file as it was sent',
  'StoredGuardrails.document': 'the document as it was sent',
  'TriedAdmission.pod': 'a manifest',
};

/** Members that are sentences, commands or manifests in every type. */
const TEXTS = [
  'message',
  'text',
  'summary',
  'yaml',
  'command',
  'kubectl',
  'why',
  'note',
  'notes',
  'detail',
  'canonical',
];
const TAINT_TEXTS = ['taint', 'taints', 'toleration', 'taintsAdded', 'taintsRemoved', 'anyOf', 'allOf'];

const OF_REQUESTS = /(Request|Input|Arguments|Parameters|Fields|Options)$/i;

type AnyObjectType = ObjectType | UnionType;

interface Declared {
  /** `Taint.value`. */
  readonly name: string;
  readonly member: Member;
}

const isObjectType = (value: unknown): value is AnyObjectType =>
  typeof value === 'object' && value !== null && ['object', 'union'].includes((value as AnyObjectType).kind);

const isQuestion = (value: unknown): value is Question =>
  typeof value === 'object' && value !== null && 'response' in value && 'method' in value;

function responseTypes({ response }: Question): readonly AnyObjectType[] {
  if (response.kind === 'object') return [response];
  const { item, groups, head } = listOf(response)!;
  return [item, ...(groups === undefined ? [] : [groups.item]), object('Head', '', head)];
}

/** Every member of every object that a response may have. Types that no question names belong to handwritten operations. */
async function members(): Promise<readonly Declared[]> {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const modules: object[] = [];
  // One after another: jest cannot link modules that others import while it loads them.
  for (const file of files) modules.push((await import(pathToFileURL(join(folder, file)).href)) as object);
  const exported = modules.flatMap((one) =>
    Object.entries(one).flatMap(([name, value]) => (OF_REQUESTS.test(name) ? [] : [value as unknown])),
  );
  const found = new Set<AnyObjectType>();
  const add = (type: MemberType): void => {
    const named = typeof type === 'function' ? type() : type;
    if (!isObjectType(named) || found.has(named)) return;
    found.add(named);
    for (const { members: own } of objectsOf(named)) for (const member of Object.values(own)) add(member.type);
  };
  for (const one of exported) {
    if (isQuestion(one)) for (const type of responseTypes(one)) add(type);
    else if (isObjectType(one)) add(one);
  }
  return [...found].flatMap((type) =>
    objectsOf(type).flatMap(({ members: own }) =>
      Object.entries(own).map(([name, member]) => ({ name: `${type.name}.${name}`, member })),
    ),
  );
}

const nameOf = ({ name }: Declared): string => name.replace(/.*\./, '');
const names = (found: readonly Declared[]): string[] => [...new Set(found.map(({ name }) => name))].sort();

describe('the values of taints and tolerations in the contract', () => {
  it('are flagged: every value is one, or is known to be another', async () => {
    const values = (await members()).filter((one) => ['value', 'values'].includes(nameOf(one)));
    expect(names(values).length).toBeGreaterThan(15);
    expect(names(values.filter(({ member }) => member.taintValue !== true))).toEqual(Object.keys(OTHER_VALUES));
  });

  it('are only in members of these names', async () => {
    const flagged = (await members()).filter(({ member }) => member.taintValue === true);
    expect(names(flagged)).toEqual([
      'AddedOperation.value',
      'AnswerDifference.after',
      'AnswerDifference.before',
      'GatePatchOperation.value',
      'GroupColumn.values',
      'GroupedWorkload.values',
      'JsonPatchOperation.value',
      'KubernetesTaint.value',
      'KubernetesToleration.value',
      'OverviewTaint.value',
      'PatchOperation.value',
      'PlacementColumn.values',
      'PlacementTaint.value',
      'PodAddition.value',
      'RecordedTaint.value',
      'Taint.value',
      'TaintKey.values',
      'TaintTolerationAdvice.value',
      'Toleration.value',
      'TurningPatch.value',
    ]);
  });

  it('may be in JSON of any form in few places', async () => {
    const json = (await members()).filter(({ member }) => heldBy(member) === 'json');
    expect(names(json)).toEqual(Object.keys(ANY_JSON));
  });

  it('may be in sentences, commands and taints that are written as one text', async () => {
    const texts = (await members()).filter((one) => [...TEXTS, ...TAINT_TEXTS].includes(nameOf(one)));
    expect(names(texts.filter(({ member }) => member.type === 'identifier'))).toEqual([]);
    expect(names(texts).length).toBeGreaterThan(80);
  });

  it('are never in keys, effects, names of objects and times', async () => {
    const terms = ['key', 'effect', 'operator', 'node', 'namespace', 'nodeName', 'plugin', 'cluster', 'timeAdded'];
    const found = (await members()).filter((one) => terms.includes(nameOf(one)) && typeof one.member.type === 'string');
    expect(names(found.filter(({ member }) => heldBy(member) !== 'nothing'))).toEqual([]);
    expect(names(found).length).toBeGreaterThan(50);
  });
});

describe('what a column holds', () => {
  const fact = object('Fact', '', {
    name: { type: 'identifier', description: '' },
    taint: { type: object('T', '', { value: { type: 'string', taintValue: true, description: '' } }), description: '' },
    note: { type: 'string', description: '' },
  });
  const group = object('Group', '', {
    facts: { type: fact, list: true, description: '' },
    at: { type: 'time', description: '' },
  });

  it.each([
    ['a time', 'at', 'nothing'],
    ['a name in a list', 'facts.0.name', 'nothing'],
    ['the value of a taint', 'facts.0.taint.value', 'taintValue'],
    ['a text', 'facts.note', 'text'],
    ['a whole object, like JSON', 'facts.0.taint', 'json'],
    ['a member that the group lacks, like text', 'facts.0.other.name', 'text'],
  ])('follows from its path: %s', (_, path, held) => {
    expect(heldAt([group], path)).toBe(held);
  });
});
