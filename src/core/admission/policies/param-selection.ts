import type { KeptKind } from '../../kubernetes/kinds.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../kubernetes/objects/admission-policies.js';
import type { KubernetesObject, Labels } from '../../kubernetes/objects/meta.js';
import { selects } from './match-request.js';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** The kinds that say which objects are params: policies, each with its bindings. */
const BINDINGS: ReadonlyMap<string, KeptKind> = new Map([
  ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'],
]);

export const PARAM_SELECTING_KINDS: readonly string[] = [...BINDINGS].flat();

/** What a ConfigMap is selected by. */
export interface SelectableConfigMap {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/**
 * Which ConfigMaps admission policies take as params: those that a binding names or selects, of a policy whose params are ConfigMaps. A
 * binding without a namespace selects in every namespace, because params then come from that of the request.
 */
export class ParamSelection {
  /** Kind of the binding and name of the policy. */
  private readonly policies = new Set<string>();
  private readonly refs: { readonly policy: string; readonly ref: ParamRef }[] = [];

  /** Notes a policy or binding; other objects say nothing. */
  add(object: KubernetesObject): void {
    const { kind } = object;
    const ofBindings = BINDINGS.get(kind);
    if (ofBindings !== undefined) {
      const { paramKind } = (object as Policy).spec;
      if (paramKind?.apiVersion === 'v1' && paramKind.kind === 'ConfigMap') {
        this.policies.add(`${ofBindings} ${object.metadata.name}`);
      }
      return;
    }
    if (!PARAM_SELECTING_KINDS.includes(kind)) return;
    const { paramRef, policyName = '' } = (object as Binding).spec;
    if (paramRef !== undefined) this.refs.push({ policy: `${kind} ${policyName}`, ref: paramRef });
  }

  selects(configMap: SelectableConfigMap): boolean {
    return this.refs.some(({ policy, ref }) => this.policies.has(policy) && isSelected(configMap, ref));
  }
}

/** A reference with neither name nor selector is none; the API server does not store one. */
function isSelected({ namespace, name, labels }: SelectableConfigMap, ref: ParamRef): boolean {
  if (ref.namespace !== undefined && ref.namespace !== '' && ref.namespace !== namespace) return false;
  if (ref.name !== undefined && ref.name !== '') return ref.name === name;
  return ref.selector !== undefined && selects(ref.selector, labels);
}
