import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { parseJson } from '../../src/core/json/lossless-json.js';
import {
  clusterOf,
  gateOf,
  listOf,
  namespaceObject,
  objectOf,
  within,
  wordsOf,
  type GateWords,
} from './gate-in-vector.js';
import type { Gate } from '../../src/core/gate/step-gate.js';
import { clusterOf as workloadCluster, playedKubelet, relabelled } from './ops/workload.js';
import { sameJson } from './same-json.js';

interface Vector {
  readonly input: JsonObject;
  readonly want: JsonObject;
}

async function vectorsOf(op: string): Promise<readonly Vector[]> {
  const bytes = await readFile(`test/conformance/vectors/${op}.jsonl.gz`);
  const lines = gunzipSync(bytes).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => parseJson(line) as unknown as Vector);
}

interface Tally {
  agreed: number;
  /** By what is not known. */
  readonly unknown: Map<string, number>;
  readonly differing: string[];
}

/** The gate's words beside those of the recorded API server. `undefined`: nothing that a gate is asked. */
function tally(vectors: readonly Vector[], answer: (input: JsonObject) => GateWords | undefined, agree: Agree): Tally {
  const result: Tally = { agreed: 0, unknown: new Map(), differing: [] };
  for (const { input, want } of vectors) {
    const words = answer(input);
    if (words === undefined) continue;
    if ('unknown' in words) {
      for (const why of words.unknown) result.unknown.set(why, (result.unknown.get(why) ?? 0) + 1);
    } else if (agree(want, words, input)) result.agreed += 1;
    else
      result.differing.push(
        JSON.stringify({ input, want, words }, (_, value: unknown) =>
          typeof value === 'bigint' ? Number(value) : value,
        ),
      );
  }
  return result;
}

type Agree = (want: JsonObject, words: Exclude<GateWords, { unknown: unknown }>, input: JsonObject) => boolean;

/** A refusal makes the verdict `no`; an accepted object does not. */
const sameVerdict = (want: JsonObject, verdict: string): boolean =>
  (want['code'] as number) >= 400 ? verdict === 'no' : true;

/** Of several policies, quotas or LimitRanges that refuse, the API server names any, in no certain order. */
const isRandom = (input: JsonObject): boolean =>
  input['secondPolicy'] !== undefined ||
  ['bindings', 'limitRanges', 'quotas'].some((member) => listOf(input[member]).length > 1);

const sameMessage = (want: JsonObject, message: string | null): boolean => {
  const any = want['messageAnyOf'];
  const texts = Array.isArray(any) ? any : [want['message'] ?? null];
  return texts.some(
    (text) => text === message || (typeof text === 'string' && message !== null && sorted(text) === sorted(message)),
  );
};

/** Lists of errors come in any order. */
const sorted = (text: string): string =>
  text.replace(/\[(.*)\]/g, (_, list: string) => `[${[...new Set(list.split(', '))].sort().join(', ')}]`);

/** A vector may leave out what its list says already. */
const typed = (one: JsonObject, member: string): JsonObject =>
  member === 'storageClasses' ? { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', ...one } : one;

/** What became of the workloads of `apply`, as far as a gate judges it. */
function wantedOfWorkloads(
  input: JsonObject,
  want: JsonObject,
): { readonly verdict: string; readonly messages: readonly string[] } {
  const applied = listOf(input['apply']).filter(({ kind }) => kind !== 'NamespaceLabels');
  const names = new Set(applied.map((one) => keyOf(one['kind'], objectOf(one['metadata'])['name'])));
  const codes = listOf(want['applied']).slice(listOf(input['existing']).length);
  const refused = codes.filter(({ code }) => (code as number) >= 400);
  const workloads = listOf(want['workloads']).filter((one) => names.has(keyOf(one['kind'], one['name'])));
  const lacking = workloads.filter(({ desired, created, pending, replicaSets, kind }) => {
    const newest = listOf(replicaSets).reduce<JsonObject | undefined>(
      (last, one) => (last === undefined || (one['revision'] as number) > (last['revision'] as number) ? one : last),
      undefined,
    );
    const made = kind === 'Deployment' && newest !== undefined ? newest['created'] : created;
    return (made as number) < (desired as number) || (pending as number) > 0;
  });
  const texts = workloads.flatMap(({ failedScheduling }) => Object.keys(objectOf(failedScheduling)));
  return {
    verdict: refused.length + lacking.length > 0 ? 'no' : 'yes',
    messages: [
      ...refused.map(({ message }) => message as string),
      ...texts.filter((text) => text !== 'no condition').map((text) => text.slice(text.indexOf(': ') + 2)),
    ].sort(),
  };
}

const keyOf = (kind: unknown, name: unknown): string => JSON.stringify([kind, name]);

/** The gate of `apply`, in the cluster that `existing` has left. */
function gateOfWorkloads(input: JsonObject): Gate {
  const namespace = objectOf(input['namespace'])['name'] as string;
  let state = workloadCluster(input, namespace);
  const options = { kubelet: playedKubelet, provisions: () => false };
  const existing = listOf(input['existing']);
  const sent = (values: readonly JsonObject[]): readonly JsonObject[] =>
    values.filter((one) => {
      if (one['kind'] !== 'NamespaceLabels') return true;
      state = relabelled(state, namespace, one['labels'] as Readonly<Record<string, string>>);
      return false;
    });
  if (existing.length > 0) {
    const first = sent(existing);
    state = gateOf(state, first, namespace, options).rollout.state();
  }
  const now = Date.UTC(2026, 0, 1) + 60_000;
  const applied = sent(listOf(input['apply']));
  return gateOf(state, applied, namespace, { ...options, now });
}

describe('the gate says what a real API server answers', () => {
  const vectors = new Map<string, readonly Vector[]>();
  beforeAll(async () => {
    for (const op of ['podSecurity', 'admitPod', 'admissionPolicy', 'workload']) vectors.set(op, await vectorsOf(op));
  });

  it('podSecurity', () => {
    const answer = (input: JsonObject): GateWords | undefined => {
      if (input['ephemeralContainers'] !== undefined) return undefined;
      if (input['pods'] !== undefined) {
        const name = input['namespace'] as string;
        const before = objectOf(input['oldNamespaceLabels']);
        const after = { ...before, ...objectOf(input['namespaceLabels']) };
        const pods = listOf(input['pods']).map((pod) => within(pod, name));
        return wordsOf(
          gateOf(clusterOf([namespaceObject(name, before), ...pods]), [namespaceObject(name, after)], name),
        );
      }
      const state = clusterOf([namespaceObject('ns', objectOf(input['namespaceLabels']))]);
      return wordsOf(gateOf(state, [objectOf(input['pod'] ?? input['workload'])], 'ns'));
    };
    const result = tally(vectors.get('podSecurity')!, answer, (want, { code, message, warnings, verdict }) => {
      const others = listOf(want['otherWarnings']) as unknown as readonly string[];
      const own = warnings.filter((text) => !others.includes(text));
      return (
        code === want['code'] &&
        sameMessage(want, message) &&
        sameJson(own, want['warnings']) &&
        sameVerdict(want, verdict)
      );
    });
    expect(result.differing.slice(0, 3).map((one) => one.slice(one.indexOf('"want"')))).toEqual([]);
  });

  it('admitPod', () => {
    const answer = (input: JsonObject): GateWords | undefined => {
      const object = (input['pod'] ?? input['pvc'] ?? input['object']) as JsonObject;
      const given = input['namespace'] as JsonObject | null;
      const name = (objectOf(given?.['metadata'])['name'] ?? input['namespaceName']) as string;
      const inNamespace = (member: string): readonly JsonObject[] =>
        listOf(input[member]).map((one) => within(one, name));
      const state = clusterOf([
        ...(given === null ? [] : [given]),
        ...['limitRanges', 'quotas', 'serviceAccounts', 'existingPods'].flatMap(inNamespace),
        ...['priorityClasses', 'runtimeClasses', 'storageClasses'].flatMap((member) =>
          listOf(input[member]).map((one) => typed(one, member)),
        ),
      ]);
      return wordsOf(gateOf(state, [object], name));
    };
    const result = tally(vectors.get('admitPod')!, answer, (want, { code, message, verdict }, input) => {
      if (isRandom(input) && code === 403 && want['code'] === 403) return verdict === 'no';
      const isText = want['code'] === 403 || want['code'] === 404;
      return code === want['code'] && (!isText || sameMessage(want, message)) && sameVerdict(want, verdict);
    });
    expect(result.differing.slice(0, 3).map((one) => one.slice(one.indexOf('"want"')))).toEqual([]);
  });

  it('admissionPolicy', () => {
    const answer = (input: JsonObject): GateWords | undefined => {
      const { object, policy } = input;
      if (object === undefined || policy === null) return undefined;
      // The requests were dry runs, which a gate is not about.
      if (JSON.stringify(input, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)).includes('dryRun'))
        return undefined;
      const { name, labels } = objectOf(objectOf(input['namespace'])['metadata']);
      const namespace = name as string;
      const old = input['oldObject'] as JsonObject | null | undefined;
      const state = clusterOf([
        namespaceObject(namespace, objectOf(labels)),
        ...[policy, input['secondPolicy']].flatMap((one) => (one === undefined ? [] : [one as JsonObject])),
        ...listOf(input['bindings']),
        ...listOf(input['secondBindings']),
        ...(old == null ? [] : [within(old, namespace)]),
        ...listOf(input['params']),
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'kube-root-ca.crt', namespace },
          data: { 'ca.crt': '' },
        },
      ]);
      return wordsOf(gateOf(state, [object as JsonObject], namespace));
    };
    const result = tally(
      vectors.get('admissionPolicy')!,
      answer,
      (want, { code, message, warnings, verdict }, input) => {
        if (isRandom(input) && code >= 400 && (want['code'] as number) >= 400) return verdict === 'no';
        const others = listOf(want['otherWarnings']) as unknown as readonly string[];
        const own = warnings.filter((text) => !others.includes(text)).sort();
        const wanted = [...(want['warnings'] as readonly string[])].sort();
        const isRefused = code >= 400;
        return (
          code === want['code'] &&
          sameMessage(want, message) &&
          (isRefused || sameJson(own, wanted)) &&
          sameVerdict(want, verdict)
        );
      },
    );
    expect(result.differing.slice(0, 3).map((one) => one.slice(one.indexOf('"want"')))).toEqual([]);
  });

  it('workload', () => {
    const differing: string[] = [];
    const unknown = new Map<string, number>();
    let agreed = 0;
    for (const { input, want } of vectors.get('workload')!) {
      const { judgement, rollout } = gateOfWorkloads(input);
      const wanted = wantedOfWorkloads(input, want);
      const doubt = judgement.reasons.find(({ verdict }) => verdict === 'unknown');
      if (judgement.verdict === 'unknown') {
        unknown.set(doubt!.message, (unknown.get(doubt!.message) ?? 0) + 1);
        continue;
      }
      const messages = judgement.reasons
        .filter(({ code }) => code === 'ObjectRefused' || code === 'Unschedulable')
        .map(({ message }) => message)
        .sort();
      const got = { verdict: judgement.verdict, messages };
      if (sameJson(got, wanted)) agreed += 1;
      else
        differing.push(
          JSON.stringify({
            family: input['family'],
            got,
            wanted,
            workloads: rollout.workloads.map(({ kind, name, desired, created, pending, status }) => ({
              kind,
              name,
              desired,
              created,
              pending,
              status,
            })),
          }),
        );
    }
    // Pods that wait for a volume to be provisioned: whether it ever is, nobody knows.
    expect([agreed, [...unknown.values()].reduce((sum, one) => sum + one, 0)]).toEqual([273, 5]);
    expect(differing.slice(0, 6)).toEqual([]);
  });
});
