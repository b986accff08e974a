import { duplicate, errorsInWordsOf, invalid, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { jsonGo } from '../go-text.js';
import { roundedList } from '../defaults.js';
import type { RuntimeClass } from '../objects/scheduling.js';
import type { Toleration } from '../objects/taints.js';
import { rulesOfGates, type TolerationGates } from '../toleration.js';
import { validateLabels } from './label.js';
import type { Manifest } from '../objects/manifest.js';
import { validateObjectMeta, validatePathSegments } from './metadata.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from './object-names.js';
import { validateOverhead } from './resources.js';
import { validateTolerations } from './tolerations.js';

/**
 * The API server's faults of a new RuntimeClass: `ValidateRuntimeClass` after defaulting, and then the checks of names for all
 * kinds.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/node/validation/validation.go; `Required` for an absent handler comes from
 * declarative validation.
 */
export function validateRuntimeClass(
  { metadata, handler = '', overhead, scheduling }: Manifest<RuntimeClass>,
  gates: TolerationGates,
): FieldError[] {
  const errors = validateObjectMeta(metadata, false, nameIsDnsSubdomain, FieldPath.of('metadata'));
  const at = FieldPath.of('handler');
  if (handler === '') errors.push(required(at));
  else errors.push(...nameIsDnsLabel(handler, false).map((message) => invalid(at, handler, message)));
  if (overhead !== undefined) {
    const podFixed = roundedList(overhead.podFixed ?? {});
    errors.push(...validateOverhead(podFixed, FieldPath.of('overhead'), FieldPath.of('overhead', 'podFixed')));
  }
  if (scheduling !== undefined) {
    const { nodeSelector, tolerations = [] } = scheduling;
    const path = FieldPath.of('scheduling');
    errors.push(
      ...validateLabels(nodeSelector, path.child('nodeSelector')),
      ...validateTolerations(tolerations, path.child('tolerations'), gates),
      ...validateUniqueTolerations(tolerations, path.child('tolerations')),
    );
  }
  return errors.length > 0
    ? errorsInWordsOf(rulesOfGates(gates), errors)
    : validatePathSegments(metadata, FieldPath.of('metadata'));
}

/** No toleration may occur twice, whatever its seconds. */
function validateUniqueTolerations(tolerations: readonly Toleration[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return tolerations.flatMap(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, index) => {
    const identity = JSON.stringify([key, operator, value, effect]);
    if (!seen.has(identity)) {
      seen.add(identity);
      return [];
    }
    const fields = { Key: key, Operator: operator, Value: value, Effect: effect };
    const seconds = tolerationSeconds === undefined ? 'null' : String(tolerationSeconds);
    const text = `${jsonGo(fields).slice(0, -1)},"TolerationSeconds":${seconds}}`;
    return [duplicate(path.index(index), { text })];
  });
}
