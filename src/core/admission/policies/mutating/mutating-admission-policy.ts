import { CelUnsupported } from '../../../cel/errors.js';
import { CelError, StructValue, type Value } from '../../../cel/values.js';
import { isList } from '../../../cel/values.js';
import { defined } from '../../../collections/defined.js';
import type { JsonObject } from '../../../json/json-value.js';
import { sameValue } from '../../../json/same-value.js';
import { AdmissionRefusal } from '../../../kubernetes/admission-refusal.js';
import { decodeObject } from '../../../kubernetes/decode.js';
import { quoteGo } from '../../../kubernetes/go-text.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  PolicyMutation,
} from '../../../kubernetes/objects/admission-policies.js';
import type { Namespace } from '../../../kubernetes/objects/namespace.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { WholePod } from '../../../kubernetes/objects/whole-pod.js';
import { defaultWholePod } from '../../../kubernetes/whole-pod-defaults.js';
import { collectParams, type ParamStore } from '../collect-params.js';
import { compileMutations, isProgram, type Compiled, type CompiledMutations } from '../compile-policy.js';
import { BUDGET, evaluatorOf, OUT_OF_BUDGET, type Evaluator, type PolicyInput } from '../evaluator.js';
import { evaluateMatchConditions } from '../match-conditions.js';
import { matchesRequest, mayApply } from '../match-request.js';
import { namespaceLabels, storedNamespace } from '../namespace-object.js';
import { policyRequestOf, type SentToPolicies } from '../pod-request.js';
import { JSON_PATCH } from '../patch-types.js';
import type { PolicyWork } from '../policy-work.js';
import type { PolicyRequest } from '../policy-request.js';
import { applyJsonPatch, type JsonPatchOperation } from './apply-json-patch.js';
import { mergePod } from './merge-pod.js';
import { applyConfigurationOf, mismatches, nativeValues, patchValueOf, type NativeValues } from './native-values.js';

export const NAME = 'MutatingAdmissionPolicy';

/** The mutating policies of a cluster, and where they apply. */
export interface MutatingPolicies {
  readonly policies: readonly MutatingAdmissionPolicy[];
  readonly bindings: readonly MutatingAdmissionPolicyBinding[];
  readonly params: ParamStore;
}

/** The pod on its way, without what changes. */
export type MutatedSubject = Omit<SentToPolicies, 'pod'>;

export interface MutationSurroundings extends MutatingPolicies {
  /** Undefined where it is not known. */
  readonly namespace: Namespace | undefined;
  readonly work?: PolicyWork | undefined;
  /** The minor version of the API server. */
  readonly minor: number;
}

/** What the policies make of a pod; or why that is not known. */
export type Mutated = { readonly pod: Pod } | { readonly doubt: string };

/** The number of mutations whose orders are all tried: the API server takes policies, bindings and params in a random one. */
const MOST_IN_ANY_ORDER = 4;

/** A policy with a binding and one object of params. */
interface Invocation {
  readonly key: string;
  readonly policy: MutatingAdmissionPolicy;
  readonly params: JsonObject | null;
  readonly binding: string;
}

interface Dispatched {
  readonly pod: Pod;
  /** Those that may be asked again. */
  readonly reinvocable: ReadonlySet<string>;
  /** Whether any mutation was made, though it may have changed nothing. */
  readonly isDirty: boolean;
  readonly errors: readonly string[];
}

/** What a policy depends on and is not known. */
class PolicyDoubt extends Error {
  override readonly name = 'PolicyDoubt';
}

/** Whether a mutating policy may have something to say about a pod. */
export function mayMutate(
  { policies, bindings, namespace }: MutationSurroundings,
  sent: SentToPolicies,
): MutatingAdmissionPolicy | undefined {
  if (policies.length === 0 || bindings.length === 0) return undefined;
  const labels = namespace === undefined ? undefined : namespaceLabels(namespace);
  const request = mutationRequestOf(sent);
  return policies.find((policy) => mayApply(policy, bindings, request, labels));
}

/**
 * The MutatingAdmissionPolicies of a cluster on the way of one pod, which asks them once or twice: if any was evaluated, the plugins that
 * change pods are asked again, and then the policies with `reinvocationPolicy: IfNeeded` that were evaluated before.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/mutating/dispatcher.go and reinvocationcontext.go;
 * pkg/admission/plugin/policy/generic/policy_dispatcher.go.
 */
export class PolicyMutations {
  private reinvocable: ReadonlySet<string> = new Set();
  private last: Pod | undefined;
  private wasDirty = false;

  constructor(
    private readonly surroundings: MutationSurroundings,
    private readonly subject: MutatedSubject,
  ) {}

  /** Whether the plugins that change pods are asked again. */
  get requireReinvocation(): boolean {
    return this.wasDirty;
  }

  /** @throws {AdmissionRefusal} */
  mutate(pod: Pod, round: 'first' | 'again'): Mutated {
    if (mayMutate(this.surroundings, { ...this.subject, pod }) === undefined) {
      if (round === 'first') this.last = pod;
      return { pod };
    }
    try {
      return { pod: this.dispatch(pod, round) };
    } catch (error) {
      if (error instanceof PolicyDoubt) return { doubt: error.message };
      throw error;
    }
  }

  private dispatch(pod: Pod, round: 'first' | 'again'): Pod {
    const { invocations, errors } = this.invocations(pod);
    const isReinvoked = this.wasDirty || !sameValue(this.last, pod);
    const asked =
      round === 'first' ? invocations : invocations.filter(({ key }) => isReinvoked && this.reinvocable.has(key));
    const conditional = round === 'first' ? [] : invocations.filter((one) => !asked.includes(one));
    const orders = ordersOf(asked);
    const results = orders.map((order) =>
      dispatchInOrder([...order, ...conditional], new Set(asked), this.evaluator()(pod)),
    );
    const [first, ...others] = results;
    if (others.some((other) => !isSameResult(first!, other))) {
      throw new PolicyDoubt(`the order in which ${policiesText(asked)} change the pod is random, and matters`);
    }
    const all = [...errors, ...first!.errors];
    if (all.length > 0) throw refusal(all);
    this.reinvocable = first!.reinvocable;
    this.last = first!.pod;
    this.wasDirty = first!.isDirty;
    return first!.pod;
  }

  /** The policies that are about a pod, with their bindings and params, by name. */
  private invocations(pod: Pod): { readonly invocations: readonly Invocation[]; readonly errors: readonly string[] } {
    const { policies, bindings, params: store, namespace } = this.surroundings;
    const labels = namespace === undefined ? undefined : namespaceLabels(namespace);
    const request = mutationRequestOf({ ...this.subject, pod });
    const errors: string[] = [];
    const invocations = byName(policies).flatMap((policy) =>
      doubting(policy, () => {
        if (!mayApply(policy, bindings, request, labels)) return [];
        if (!requireKnown(matchesRequest(policy.spec.matchConstraints ?? {}, request, labels))) return [];
        const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
        return byName(own).flatMap(({ metadata: { name: binding }, spec }): readonly Invocation[] => {
          if (!requireKnown(matchesRequest(spec.matchResources ?? {}, request, labels))) return [];
          const collected = collectParams(policy.spec, spec.paramRef, request.namespace, store);
          if ('unknown' in collected) throw new CelUnsupported(collected.unknown);
          if ('error' in collected) {
            if (fails(policy))
              errors.push(deniedText(policy, binding, `failed to configure binding: ${collected.error}`));
            return [];
          }
          return collected.params.map((params) => {
            const { name = '', namespace: of = '' } = (params?.['metadata'] ?? {}) as Record<string, string>;
            return { key: [policy.metadata.name, binding, of, name].join('\0'), policy, binding, params };
          });
        });
      }),
    );
    return { invocations, errors };
  }

  private evaluator() {
    const { params, namespace, work, minor } = this.surroundings;
    return (pod: Pod): Evaluated => ({
      pod,
      minor,
      inputFor: (current, invocation) => ({
        request: mutationRequestOf({ ...this.subject, pod: current }),
        namespace: storedNamespace(namespace),
        params: invocation.params,
        unknownOfParams: params.unknownFields,
        ...defined({ work }),
      }),
    });
  }
}

interface Evaluated {
  readonly pod: Pod;
  readonly minor: number;
  readonly inputFor: (pod: Pod, invocation: Invocation) => PolicyInput;
}

/** @param asked those that are evaluated if their conditions hold; of the others only the conditions are */
function dispatchInOrder(order: readonly Invocation[], asked: ReadonlySet<Invocation>, of: Evaluated): Dispatched {
  let { pod } = of;
  let isDirty = false;
  const reinvocable = new Set<string>();
  const errors: string[] = [];
  for (const invocation of order) {
    const { policy, binding } = invocation;
    const fail = (message: string): void => {
      if (fails(policy)) errors.push(deniedText(policy, binding, message));
    };
    doubting(policy, () => {
      const compiled = compiledMutations(policy);
      const input = of.inputFor(pod, invocation);
      if (input.namespace === undefined) throw new CelUnsupported('the namespace');
      const matching = evaluateMatchConditions(policy.spec.matchConditions, compiled, input);
      if ('error' in matching) fail(matching.error);
      if (!('matches' in matching) || !matching.matches || !asked.has(invocation)) return;
      for (const [index, mutation] of (policy.spec.mutations ?? []).entries()) {
        const made = mutate(mutation, compiled, index, of.inputFor(pod, invocation), { pod, minor: of.minor });
        if (made instanceof CelError) fail(made.message);
        else {
          pod = made;
          isDirty = true;
        }
      }
      if (policy.spec.reinvocationPolicy === 'IfNeeded') reinvocable.add(invocation.key);
    });
  }
  return { pod, isDirty, reinvocable, errors };
}

function mutate(
  { patchType, applyConfiguration, jsonPatch }: PolicyMutation,
  { mutations, variables }: CompiledMutations,
  index: number,
  input: PolicyInput,
  of: Pick<Evaluated, 'pod' | 'minor'>,
): Pod | CelError {
  const compiled = mutations[index];
  const { expression } = (patchType === 'JSONPatch' ? jsonPatch : applyConfiguration) ?? {};
  if (compiled === undefined || expression === undefined || !isProgram(compiled)) {
    throw new CelUnsupported('a mutation that does not compile');
  }
  const evaluator = evaluatorOf(compiled, variables, input, BUDGET);
  const value = valueOf(evaluator, compiled, expression);
  if (value instanceof CelError) return value;
  const native = nativeValues(evaluator.objects());
  const { request } = input;
  const changed = patchType === 'JSONPatch' ? patched(request, value, native) : configured(request, value, native);
  return changed instanceof CelError ? changed : podOf(request.object, changed, of);
}

function valueOf(evaluator: Evaluator, compiled: Compiled, expression: string): Value {
  const outcomes = evaluator.all([compiled], [expression]);
  if (outcomes === OUT_OF_BUDGET) return new CelError(OUT_OF_BUDGET);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new CelUnsupported('a mutation without an expression');
  return 'error' in outcome ? new CelError(outcome.error) : outcome.value;
}

function configured({ object }: PolicyRequest, value: Value, native: NativeValues): JsonObject | CelError {
  if (!(value instanceof StructValue)) throw new CelUnsupported('an apply configuration that is no Object');
  const configuration = applyConfigurationOf(value, native);
  return configuration instanceof CelError ? configuration : mergePod(object, configuration);
}

function patched({ object, unknownFields }: PolicyRequest, value: Value, native: NativeValues): JsonObject | CelError {
  if (!isList(value)) throw new CelUnsupported('a JSON Patch that is no list');
  const operations: JsonPatchOperation[] = [];
  for (const item of value) {
    if (!(item instanceof StructValue) || item.typeName !== JSON_PATCH) {
      throw new CelUnsupported('an operation of a JSON Patch that is no JSONPatch');
    }
    const given = item.fields.get('value');
    if (given instanceof StructValue) {
      const wrong = mismatches(given, given.typeName);
      if (wrong.length > 0) return new CelError(`type mismatch: ${wrong.join('\n')}`);
    }
    const text = (name: string): string => textOf(item.fields.get(name));
    const from = text('from');
    operations.push({
      op: text('op'),
      path: text('path'),
      from: from === '' ? undefined : from,
      value: given === undefined ? undefined : patchValueOf(given, native),
    });
  }
  return applyJsonPatch(object, operations, unknownFields);
}

/** Go and JSON quote ordinary characters alike, others not. */
function textOf(value: Value | undefined): string {
  if (value === undefined) return '';
  if (typeof value !== 'string' || /[^\x20-\x7e]/.test(value))
    throw new CelUnsupported('an unusual text in a JSON Patch');
  return value;
}

/** The changed object as a pod with its defaults; the pod itself if nothing has changed. */
function podOf(before: JsonObject, after: JsonObject, { pod, minor }: Pick<Evaluated, 'pod' | 'minor'>): Pod {
  if (sameValue(before, after)) return pod;
  const decoded = decodeObject(after, {
    ...{ whole: true, unbounded: true, strict: true, minor },
    ...{ apiVersion: 'v1', kind: 'Pod' },
  });
  if (decoded.outcome !== 'object' || decoded.object.kind !== 'Pod') {
    throw new CelUnsupported('a mutation to something that is no pod');
  }
  const { metadata, spec } = defaultWholePod(decoded.object as WholePod) as unknown as Pod;
  const { status } = pod;
  const without = (containers: readonly Container[] | undefined, old: readonly Container[] | undefined) =>
    containers?.map((container) => withoutEmptyResources(container, old));
  const containers = without(spec.containers, pod.spec.containers) ?? [];
  const initContainers = without(spec.initContainers, pod.spec.initContainers);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { ...spec, containers, ...(initContainers && { initContainers }) },
    ...(status && { status }),
  };
}

type Container = Pod['spec']['containers'][number];

/** Expressions see `resources` in every container. */
function withoutEmptyResources(container: Container, before: readonly Container[] | undefined): Container {
  const { resources, ...rest } = container;
  const isEmpty = resources !== undefined && Object.keys(resources).length === 0;
  const old = before?.find(({ name }) => name === container.name);
  return isEmpty && old?.resources === undefined ? rest : container;
}

/** Before it is prepared, a pod has the status with which it is sent; one of type PodStatus is always written. */
function mutationRequestOf(sent: SentToPolicies): PolicyRequest {
  const request = policyRequestOf(sent);
  return 'status' in request.object ? request : { ...request, object: { ...request.object, status: {} } };
}

/** All orders of some things; of many, the given one and no claim. */
function ordersOf(invocations: readonly Invocation[]): readonly (readonly Invocation[])[] {
  if (invocations.length > MOST_IN_ANY_ORDER) {
    throw new PolicyDoubt(
      `${policiesText(invocations)} change the pod in a random order, which is not evaluated for so many`,
    );
  }
  if (invocations.length < 2) return [invocations];
  return invocations.flatMap((first) =>
    ordersOf(invocations.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  );
}

const isSameResult = (a: Dispatched, b: Dispatched): boolean =>
  a.errors.length > 0
    ? b.errors.length > 0
    : b.errors.length === 0 &&
      a.isDirty === b.isDirty &&
      sameValue(a.pod, b.pod) &&
      sameValue([...a.reinvocable].sort(), [...b.reinvocable].sort());

/** The first is the message; the reason is `Invalid`, the status that of a request that is forbidden. */
function refusal(errors: readonly string[]): AdmissionRefusal {
  const causes = errors.map((message) => ({ type: '', field: '', message }));
  return new AdmissionRefusal(NAME, 403, errors[0]!, errors[0]!, errors, causes);
}

const deniedText = ({ metadata }: MutatingAdmissionPolicy, binding: string, message: string): string =>
  `policy '${metadata.name}' with binding '${binding}' denied request: ${message}`;

const fails = ({ spec }: MutatingAdmissionPolicy): boolean => spec.failurePolicy !== 'Ignore';

function policiesText(invocations: readonly Invocation[]): string {
  const names = [...new Set(invocations.map(({ policy }) => quoteGo(policy.metadata.name)))];
  return names.length === 1 ? `${NAME} ${names[0]}` : `the MutatingAdmissionPolicies ${names.join(', ')}`;
}

const policyText = ({ metadata: { name } }: MutatingAdmissionPolicy): string => `${NAME} ${quoteGo(name)}`;

function doubting<T>(policy: MutatingAdmissionPolicy, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof CelUnsupported)) throw error;
    throw new PolicyDoubt(
      `${policyText(policy)} depends on something that is not known or not evaluated: ${error.what}`,
      { cause: error },
    );
  }
}

function requireKnown(matches: boolean | undefined): boolean {
  if (matches === undefined) throw new CelUnsupported('the labels of the namespace');
  return matches;
}

const COMPILED = new WeakMap<MutatingAdmissionPolicy, CompiledMutations>();

/** Policies are compiled once, for all requests that they change. */
function compiledMutations(policy: MutatingAdmissionPolicy): CompiledMutations {
  let compiled = COMPILED.get(policy);
  if (compiled === undefined) COMPILED.set(policy, (compiled = compileMutations(policy.spec)));
  return compiled;
}

const byName = <T extends { readonly metadata: { readonly name: string } }>(objects: readonly T[]): T[] =>
  objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
