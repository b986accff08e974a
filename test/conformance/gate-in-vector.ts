import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { finish } from '../../src/core/collections/finish.js';
import { stepGate, type Gate, type GateOptions } from '../../src/core/gate/step-gate.js';
import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { findFields } from '../../src/core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../../src/core/kubernetes/manifests/manifest-object.js';
import { kindScope } from '../../src/core/kubernetes/manifests/served-kinds.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { decodedList } from './ops/admission-in-vector.js';

export const objectOf = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;
export const listOf = (value: JsonValue | undefined): readonly JsonObject[] => (value ?? []) as JsonObject[];

/** A cluster of which everything is known. */
export const clusterOf = (objects: readonly JsonObject[]): ClusterState =>
  ClusterState.build(
    decodedList([...objects]),
    KINDS.map(({ kind }) => kind),
  );

/** An object in a namespace, as a vector leaves it to the request. */
export const within = (value: JsonObject, namespace: string): JsonObject => ({
  ...value,
  metadata: { ...objectOf(value['metadata']), namespace },
});

export const namespaceObject = (name: string, labels: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { ...labels, 'kubernetes.io/metadata.name': name } },
  ...rest,
});

export const manifestsOf = (values: readonly JsonObject[], namespace: string): readonly ManifestObject[] =>
  values.map((value, document) => {
    const [apiVersion, kind] = [value['apiVersion'] as string, value['kind'] as string];
    const { namespaced } = kindScope(apiVersion, kind);
    return {
      source: { document, pointer: `/manifests/${document}` },
      apiVersion,
      kind,
      namespace: namespaced === false ? undefined : namespace,
      name: (objectOf(value['metadata'])['name'] ?? '') as string,
      value,
    };
  });

/** The gate of a request with manifests, in a namespace. */
export function gateOf(
  state: ClusterState,
  values: readonly JsonObject[],
  namespace: string,
  options: Partial<GateOptions> = {},
): Gate {
  const objects = manifestsOf(values, namespace).map((object) => ({
    object,
    fields: findFields(object, undefined),
  }));
  const asked = {
    now: Date.UTC(2026, 0, 1),
    gates: DEFAULT_GATES,
    fieldValidation: 'Strict',
    proposes: false,
  } as const;
  return finish(stepGate(state, objects, { ...asked, ...options }));
}

/** What the gate says of the last object of the request, in the words of a vector; `unknown` names what it would take. */
export type GateWords =
  | {
      readonly code: number;
      readonly message: string | null;
      readonly warnings: readonly string[];
      readonly verdict: string;
    }
  | { readonly unknown: readonly string[] };

export function wordsOf({ rollout, judgement, warnings }: Gate): GateWords {
  const own = rollout.objects.flatMap((one) => ('warnings' in one ? one.warnings : []));
  const notes = warnings.filter(({ code, message }) => code === 'ApiWarning' && !own.includes(message));
  if (notes.length > 0) return { unknown: notes.map(({ message }) => message) };
  const outcome = rollout.objects.at(-1)!;
  const { verdict } = judgement;
  if (outcome.outcome === 'notLookedAt') return { unknown: [outcome.why] };
  const doubts = judgement.reasons.filter(({ code }) => code === 'ObjectUnknown');
  if (doubts.length > 0 && outcome.outcome !== 'refused')
    return { unknown: doubts.map(({ by, message }) => `${by}: ${message}`) };
  if (outcome.undecided.length > 0 && !(outcome.outcome === 'refused' && outcome.certain)) {
    return { unknown: outcome.undecided.map(({ plugin, why }) => `${plugin}: ${why}`) };
  }
  return outcome.outcome === 'refused'
    ? { code: outcome.code, message: outcome.message, warnings: [], verdict }
    : { code: outcome.code, message: null, warnings: outcome.warnings, verdict };
}
