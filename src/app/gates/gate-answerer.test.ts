import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { KINDS } from '../../core/kubernetes/kinds.js';
import type { StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { GateAnswerer } from './gate-answerer.js';

const CONTEXT = { now: new Date('2026-05-04T03:02:01Z'), signal: new AbortController().signal } as RequestContext;
const kinds = KINDS.map(({ kind }) => kind);

const reading = (kubernetesVersion: string): StateReading => ({
  basis: { kubernetesVersion, rulesSource: 'apiServer' } as StateReading['basis'],
  state: ClusterState.build([], kinds),
});

const VALUE: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
};
const BUDGET: JsonObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default' },
  spec: { foo: 1 },
};

/** A recorded question about an object, with what was recorded of its fields. */
const recorded = (value: JsonObject, fields?: JsonObject): JsonObject => ({
  objects: [
    {
      object: {
        source: { document: 0, pointer: '/manifests/0' },
        apiVersion: value['apiVersion']!,
        kind: value['kind']!,
        namespace: 'default',
        name: 'b',
        value,
      },
      ...(fields !== undefined && { fields }),
    },
  ],
  fieldValidation: 'Strict',
  proposeChanges: false,
});

const reasons = async (question: JsonObject, version = 'v1.36.2'): Promise<readonly string[]> =>
  (await new GateAnswerer().answerTo(question as never, reading(version), CONTEXT)).reasons.map(
    ({ message }) => message,
  );

const REFUSED = 'strict decoding error: unknown field "spec.foo"';
const NOT_KNOWN = 'whether Kubernetes v1.37.1 has it is not known';

describe('a gate that was recorded', () => {
  it('before the findings of fields were: those of the object are found again', async () => {
    expect(await reasons(recorded(BUDGET))).toEqual([expect.stringContaining(REFUSED)]);
    expect(await reasons(recorded(BUDGET), 'v1.37.1')).toContainEqual(expect.stringContaining(NOT_KNOWN));
    expect(await reasons(recorded(VALUE))).not.toContainEqual(expect.stringContaining('strict decoding'));
  });

  it('before findings said of what kind they are: their words do', async () => {
    const fields = {
      faults: [{ text: 'unknown field "spec.foo"' }, { text: 'duplicate field "spec.selector"', minors: [36] }],
      keys: [],
    };
    const question = recorded(BUDGET, fields);
    expect(await reasons(question)).toEqual([expect.stringContaining(`${REFUSED}, duplicate field "spec.selector"`)]);
    const newer = await reasons(question, 'v1.37.1');
    expect(newer).toEqual([expect.stringContaining('strict decoding error: duplicate field "spec.selector"')]);
    const unknown = recorded(BUDGET, { faults: [fields.faults[0]!], keys: [] });
    expect(await reasons(unknown, 'v1.37.1')).toContainEqual(expect.stringContaining(NOT_KNOWN));
  });
});
