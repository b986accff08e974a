import { decodeRefusal, decodingFault } from '../../../src/core/admission/decode-refusal.js';
import { taintNewNode } from '../../../src/core/admission/taint-nodes-by-condition.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import { aggregateText } from '../../../src/core/kubernetes/error-aggregate.js';
import { errorsInWordsOf, type FieldError } from '../../../src/core/kubernetes/field-error.js';
import { FieldPath } from '../../../src/core/kubernetes/field-path.js';
import type { KubernetesRules } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { validateNode, type NodeManifest } from '../../../src/core/kubernetes/validation/node.js';
import { validateTaints } from '../../../src/core/kubernetes/validation/taints.js';
import type { Given } from './admission.js';

/** What became of taints that somebody wanted to give a node. */
export type TaintAnswer = Given & { readonly storedTaints?: readonly Taint[] };

/** The node's creation, up to the point where it would be stored. */
export function createNode(sent: JsonObject, rules: KubernetesRules): TaintAnswer {
  const decoded = decodeObject(sent, { whole: true });
  if (decoded.outcome !== 'object') {
    const errors = decoded.outcome === 'invalid' ? decoded.errors : [];
    const { status, message } = decodeRefusal('Node', sent, errors);
    return { code: status, message, causes: [] };
  }
  const node = taintNewNode(decoded.object as NodeManifest);
  return stored(node, validateNode(node, rules), 201);
}

/** A patch of the taints of a node that has nothing else to it. `strategic` says which kind of patch; both replace the list. */
export function patchTaints(taints: readonly JsonValue[], strategic: boolean, rules: KubernetesRules): TaintAnswer {
  const sent = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'vnode2' }, spec: { taints: [...taints] } };
  const decoded = decodeObject(sent, { whole: true });
  if (decoded.outcome !== 'object') {
    const fault = decodingFault('Node', sent, decoded.outcome === 'invalid' ? decoded.errors : []);
    const words = strategic ? converted(fault) : fault;
    const message = ` "" is invalid: patch: Invalid value: "": ${words}`;
    return {
      code: 422,
      message,
      causes: [{ type: 'FieldValueInvalid', field: 'patch', message: `Invalid value: "": ${words}` }],
    };
  }
  const node = decoded.object as NodeManifest;
  // A changed node is validated as a new one, and then its taints once more.
  const again = validateTaints(node.spec?.taints, FieldPath.of('metadata', 'taints'));
  return stored(node, [...validateNode(node, rules), ...errorsInWordsOf(rules, again)], 200);
}

/** A strategic patch is not decoded but converted, which has words of its own for a number in the place of a text. */
const converted = (fault: string): string =>
  fault.startsWith('json: cannot unmarshal number into') ? 'cannot convert int64 to string' : fault;

function stored(node: NodeManifest, errors: readonly FieldError[], code: number): TaintAnswer {
  if (errors.length === 0) return { code, message: undefined, causes: [], storedTaints: node.spec?.taints ?? [] };
  const message = `Node ${JSON.stringify(node.metadata.name)} is invalid: ${aggregateText(errors)}`;
  return { code: 422, message, causes: errors };
}
