import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { validateObject } from '../scenario/validate-object.js';
import { validateWorkload } from './validate-workload.js';

const decoded = (given: JsonObject): KubernetesObject => {
  const found = decodeObject(given, { strict: true, whole: true });
  if (found.outcome !== 'object') throw new Error(JSON.stringify(found));
  return found.object;
};
const tolerations = [{ key: 'k', operator: 'Exists', value: 'v' }];
const RULE = "value must be empty when `operator` is 'Exists'";
const IN_1_31 = expect.stringMatching(/^Invalid value: core\.Toleration\{/) as unknown as string;
const SINCE = `Invalid value: "v": ${RULE}`;

describe('the faults of an object in the words of a version', () => {
  it('are those of the pods of a workload', () => {
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], tolerations } };
    const deployment = decoded({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template },
    }) as Workload;
    const said = [31, 32].map((minor) =>
      validateWorkload(deployment, gatesOf(rulesOfMinor(minor))).map(({ message }) => message),
    );
    expect(said).toEqual([[IN_1_31], [SINCE]]);
  });

  it('are those of what pods depend on', () => {
    const runtimeClass = decoded({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'r' },
      handler: 'h',
      scheduling: { tolerations },
    });
    const budget = decoded({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { selector: { matchLabels: { 'a/b/c': '' } } },
    });
    const said = (minor: number, object: KubernetesObject): string[] => {
      const gates = gatesOf(rulesOfMinor(minor));
      const context = { gates, rules: gates.rules, namespace: undefined };
      return validateObject(object, context).map(({ message }) => message);
    };
    expect([31, 32].map((minor) => said(minor, runtimeClass))).toEqual([[IN_1_31], [SINCE]]);
    expect([34, 35].map((minor) => said(minor, budget)[0]?.slice(0, 45))).toEqual([
      'Invalid value: "a/b/c": a qualified name must',
      'Invalid value: "a/b/c": a valid label key mus',
    ]);
  });
});
