import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { ResourceList } from '../../../src/core/kubernetes/objects/meta.js';
import type { ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import { decodeQuantity } from '../../../src/core/kubernetes/quantity.js';
import { QuotaNamespace, type Answer } from './quota-namespace.js';
import { rulesOfRecording } from './rules-of-recording.js';
import type { QuotaRecording, RecordedAnswer, UsedByQuota } from './quota-recording.js';

/** Compares admission and the recount with the responses of a real API server and the status of a real controller. */
export function judgeQuota(file: JsonObject): readonly string[] {
  const { input, observed } = file as unknown as QuotaRecording;
  const namespace = new QuotaNamespace(input, rulesOfRecording(file));
  const podsFirst = input.order === 'pods-first';
  if (!podsFirst && input.order !== 'quota-first') return [`order ${input.order} is not known`];
  const found: string[] = [];

  const createQuotas = (): void => {
    for (const [index, quota] of input.quotas.entries()) {
      const answer = namespace.createQuota(quota);
      found.push(...answerDifferences(`quota ${quota.metadata.name}`, answer, observed.quotaCreates[index]));
    }
  };
  if (!podsFirst) createQuotas();
  for (const [index, pod] of input.pods.entries()) {
    const what = `pod ${pod.metadata.name}`;
    const create = observed.podCreates[index];
    found.push(...answerDifferences(what, namespace.createPod(pod), create));
    if (create !== undefined) found.push(...usedDifferences(`after ${what}`, create.quotaUsedRightAfter, namespace));
  }
  if (podsFirst) createQuotas();
  found.push(...statusDifferences('after admission', observed.statusAfterAdmission, namespace));
  namespace.recount();
  found.push(...statusDifferences('by the controller', observed.statusComputedByController, namespace));

  for (const [index, recorded] of (observed.steps ?? []).entries()) {
    const what = `step ${index + 1}, ${recorded.step.do}`;
    const answer = namespace.step(recorded.step);
    if (answer === undefined) return [...found, `${what}: this step is not known`];
    found.push(...answerDifferences(what, answer, recorded));
    const last = recorded.usedChanges.at(-1);
    if (last !== undefined) found.push(...usedDifferences(what, last.used, namespace));
  }
  return found;
}

function answerDifferences(what: string, { code, messages }: Answer, wanted: RecordedAnswer | undefined): string[] {
  if (wanted === undefined) return [`${what}: the file does not say what was answered`];
  const message = wanted.response?.message;
  if (code === wanted.code && (message === undefined ? messages.length === 0 : messages.includes(message))) return [];
  return [`${what}: ${code} ${messages.join(' or ')}, and the answer was ${wanted.code} ${message ?? ''}`];
}

function statusDifferences(
  when: string,
  wanted: Readonly<Record<string, ResourceQuota['status']>>,
  namespace: QuotaNamespace,
): string[] {
  const got = namespace.status();
  return [
    ...namesDiffer(when, Object.keys(wanted), got),
    ...Object.entries(wanted).flatMap(([name, status]) => [
      ...listDifferences(`${name} ${when}: hard`, status?.hard ?? {}, got.get(name)?.hard ?? {}),
      ...listDifferences(`${name} ${when}: used`, status?.used ?? {}, got.get(name)?.used ?? {}),
    ]),
  ];
}

function usedDifferences(when: string, wanted: UsedByQuota, namespace: QuotaNamespace): string[] {
  const got = namespace.status();
  return [
    ...namesDiffer(when, Object.keys(wanted), got),
    ...Object.entries(wanted).flatMap(([name, used]) =>
      listDifferences(`${name} ${when}: used`, used ?? {}, got.get(name)?.used ?? {}),
    ),
  ];
}

function namesDiffer(when: string, wanted: readonly string[], got: ReadonlyMap<string, unknown>): string[] {
  return wanted.length === got.size && wanted.every((name) => got.has(name))
    ? []
    : [`${when}: quotas ${[...got.keys()].join(', ')}, and there were ${wanted.join(', ')}`];
}

function listDifferences(what: string, wanted: ResourceList, got: ResourceList): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(got)])].flatMap((resource) => {
    const [a, b] = [wanted[resource], got[resource]];
    return a !== undefined && b !== undefined && sameAmount(a, b)
      ? []
      : [`${what} ${resource} is ${b ?? 'missing'}, and was ${a ?? 'missing'}`];
  });
}

/** The same text, or one value in two formats: which one is written hangs on the pod that a real controller counted first. */
function sameAmount(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [decodeQuantity(a), decodeQuantity(b)];
  return one.cmp(other) === 0 && one.format !== other.format && one.canonical() === a && other.canonical() === b;
}
