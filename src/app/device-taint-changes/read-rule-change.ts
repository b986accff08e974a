import type { changeDeviceTaints } from '../../contract/device-taint-changes/questions.js';
import { defined } from '../../core/collections/defined.js';
import { decodeObject } from '../../core/kubernetes/decode.js';
import type { FieldError } from '../../core/kubernetes/field-error.js';
import type { DeviceTaintRule } from '../../core/kubernetes/objects/dra.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { validateDeviceTaintRule } from '../../core/kubernetes/validation/device-taint-rule.js';
import type { IdempotencyKey } from '../../storage/taint-trail/taint-change-store.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import type { EditToMake } from '../taint-changes/change-to-make.js';
import { recordErrors } from '../taint-changes/check-change-request.js';
import { readPrecondition } from '../taint-changes/precondition.js';
import { recordOf } from '../taint-changes/read-change.js';

type Given = RequestOf<typeof changeDeviceTaints>;

/**
 * Parses a request to change a DeviceTaintRule, as far as possible without the cluster.
 * @throws {InvalidRequestError} with every error in the request
 */
export function readRuleChange(
  request: Given,
  key: IdempotencyKey | undefined,
  context: Pick<RequestContext, 'now' | 'caller'> & Partial<Pick<RequestContext, 'access'>>,
): EditToMake {
  const faults = ruleChangeErrors(request, context);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  const { remove, put, featureGates, ifMatch, expiresAt } = request;
  const after = put === undefined ? null : readRule(put).rule!;
  const rule = after?.metadata.name ?? remove!;
  const words = after === null ? `${rule}-` : formatTaint(after.spec!.taint);
  return {
    ...recordOf(request, key, context),
    action: 'change',
    targets: { names: [] },
    edit: { add: [], remove: [], overwrite: false },
    request: { taints: [words], labels: [], unschedulable: null, overwrite: false, perNode: false, force: false },
    rule: { rule, after, featureGates },
    ...defined({
      precondition: readPrecondition(ifMatch, undefined),
      expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    }),
  };
}

/** The errors of a request that can be found without the cluster. */
export function ruleChangeErrors(
  { put, remove, root = '', ...record }: Omit<Given, 'cluster' | 'root'> & { readonly root?: string },
  { now }: { readonly now: Date | undefined },
): readonly ErrorDetail[] {
  const placed = (name: string): { readonly field: string; readonly pointer: string } => ({
    field: root === '' ? name : `${root}.${name}`,
    pointer: `${root === '' ? '' : `/${root}`}/${name}`,
  });
  const faults: ErrorDetail[] = [];
  if ((put === undefined) === (remove === undefined)) {
    const code = put === undefined ? 'required' : 'conflicting-fields';
    faults.push({
      ...placed(put === undefined ? 'put' : 'remove'),
      code,
      message: 'give exactly one of put and remove',
    });
  }
  if (remove?.trim() === '') faults.push({ ...placed('remove'), code: 'invalid', message: 'must not be empty' });
  if (put !== undefined) {
    const { field, pointer } = placed('put');
    for (const error of readRule(put).errors) {
      faults.push({
        field: error.field === '' ? field : `${field}.${error.field}`,
        pointer: `${pointer}${error.pointer}`,
        code: error.type,
        message: error.message,
      });
    }
  }
  return [...faults, ...recordErrors(record, { now })];
}

function readRule(given: NonNullable<Given['put']>): {
  readonly rule?: DeviceTaintRule;
  readonly errors: readonly FieldError[];
} {
  const decoded = decodeObject(given);
  const whole = decodeObject(given, { whole: true });
  const strict = decodeObject(given, { strict: true, whole: true });
  const fieldErrors = strict.outcome === 'invalid' ? strict.errors : [];
  if (decoded.outcome === 'invalid') return { errors: fieldErrors };
  if (decoded.outcome === 'ignored' || decoded.object.kind !== 'DeviceTaintRule' || whole.outcome !== 'object') {
    return {
      errors: [
        {
          type: 'FieldValueNotSupported',
          field: 'kind',
          pointer: '/kind',
          message:
            'Unsupported value: must be a DeviceTaintRule of resource.k8s.io/v1beta2 or resource.k8s.io/v1alpha3',
        },
      ],
    };
  }
  return {
    rule: decoded.object as DeviceTaintRule,
    errors: [...fieldErrors, ...validateDeviceTaintRule(whole.object as DeviceTaintRule)],
  };
}
