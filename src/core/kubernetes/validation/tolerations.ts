import { invalid, notSupported, quoteGo, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { Toleration } from '../objects/taints.js';
import { parseInt64 } from '../parse-int64.js';
import { rulesOfGates, type TolerationGates } from '../toleration.js';
import { validateLabelName } from './label.js';
import { isDecimalInteger, isValidLabelValue } from './names.js';
import { validateTaintEffect } from './taints.js';

/**
 * `ValidateTolerations`. An invalid value for `Equal`, and a value with `Exists`, is reported at `operator`, as upstream does;
 * an invalid value for `Lt` and `Gt` is reported at `value`, possibly with two errors.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateTolerations(
  tolerations: readonly Toleration[] | undefined,
  path: FieldPath,
  gates: TolerationGates,
): FieldError[] {
  return (tolerations ?? []).flatMap((toleration, index) => validateToleration(toleration, path.index(index), gates));
}

function validateToleration(toleration: Toleration, path: FieldPath, gates: TolerationGates): FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors = key === '' ? [] : validateLabelName(key, path.child('key'));
  if (key === '' && operator !== 'Exists') {
    const rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(path.child('operator'), operator, rule));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const rule = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(path.child('effect'), effect, rule));
  }
  errors.push(...validateOperator(toleration, path, gates));
  // An unknown effect of a toleration is refused; an empty one means every effect.
  if (effect !== '') errors.push(...validateTaintEffect(effect, true, path.child('effect')));
  return errors;
}

function validateOperator(toleration: Toleration, path: FieldPath, gates: TolerationGates): FieldError[] {
  const { operator = '', value = '' } = toleration;
  const at = path.child('operator');
  switch (operator) {
    case '':
    case 'Equal': {
      const complaints = isValidLabelValue(value);
      return complaints.length === 0 ? [] : [invalid(at, value, complaints.join(';'))];
    }
    case 'Exists': {
      const shown = { text: quoteGo(value), earlier: { before: 32, text: goStringOf(toleration) } };
      return value === '' ? [] : [invalid(at, shown, "value must be empty when `operator` is 'Exists'")];
    }
    case 'Lt':
    case 'Gt':
      // Upstream lists these two as supported even while it refuses them, since it knows them.
      if (!gates.comparisonOperators)
        return [notSupported(at, operator, rulesOfGates(gates).minor >= 35 ? ALL : BASIC)];
      return validateInteger(value, path.child('value'));
    default:
      return [notSupported(at, operator, BASIC)];
  }
}

const BASIC = ['Equal', 'Exists'];
const ALL = [...BASIC, 'Lt', 'Gt'];

/** As Go shows a `core.Toleration`. */
function goStringOf({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Toleration): string {
  const seconds = tolerationSeconds === undefined ? '(*int64)(nil)' : SOME_ADDRESS;
  return `core.Toleration{Key:${quoteGo(key)}, Operator:${quoteGo(operator)}, Value:${quoteGo(value)}, Effect:${quoteGo(effect)}, TolerationSeconds:${seconds}}`;
}

/** Upstream shows where the number lies, which differs each time. */
const SOME_ADDRESS = '(*int64)(0xc000000000)';

function validateInteger(value: string, path: FieldPath): FieldError[] {
  const errors = isDecimalInteger(value).map((message) => invalid(path, value, message));
  const parsed = parseInt64(value);
  return 'error' in parsed ? [...errors, invalid(path, value, parsed.error)] : errors;
}
