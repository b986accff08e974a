import { forbidden, invalid, notSupported, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { Int64 } from '../../objects/meta.js';
import type { Handler, HttpGetAction, Lifecycle, Probe } from '../../objects/whole-pod.js';
import { rulesOfGates } from '../../toleration.js';
import { regexError } from '../names.js';
import { nonNegative } from '../non-negative.js';
import { invalidNumber } from './complaints.js';
import { validatePort } from './container-ports.js';
import type { PodLeniency } from './pod-leniency.js';

const HEADER = '[-A-Za-z0-9]+';
const header = new RegExp(`^${HEADER}$`);
const HEADER_RULE = regexError(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  HEADER,
  'X-Header-Name',
);
const SCHEMES = ['HTTP', 'HTTPS'];
const KINDS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** Probes and hooks of a container: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
type ProbeField = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

/** `validateLivenessProbe` and the corresponding functions, for a defaulted probe. */
export function validateProbe(probe: Probe, field: ProbeField, path: FieldPath, leniency: PodLeniency): FieldError[] {
  const at = path.child(field);
  const { terminationGracePeriodSeconds: grace, successThreshold = 0 } = probe;
  const errors = validateHandler(probe, undefined, at, leniency);
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    errors.push(...nonNegative(probe[name], at.child(name)));
  }
  const graceAt = at.child('terminationGracePeriodSeconds');
  if (grace !== undefined && grace <= 0) errors.push(invalidNumber(graceAt, grace, 'must be greater than 0'));
  if (field === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidNumber(graceAt, grace, 'must not be set for readinessProbes'));
  } else if (successThreshold !== 1) {
    errors.push(invalidNumber(at.child('successThreshold'), successThreshold, 'must be 1'));
  }
  return errors;
}

/** `validateLifecycle`. */
export function validateLifecycle(
  { postStart, preStop }: Lifecycle,
  gracePeriod: Int64 | undefined,
  path: FieldPath,
  leniency: PodLeniency,
): FieldError[] {
  return [
    ...(postStart ? validateHandler(postStart, gracePeriod, path.child('postStart'), leniency) : []),
    ...(preStop ? validateHandler(preStop, gracePeriod, path.child('preStop'), leniency) : []),
  ];
}

function validateHandler(
  handler: Handler,
  gracePeriod: Int64 | undefined,
  path: FieldPath,
  leniency: PodLeniency,
): FieldError[] {
  const [first, ...more] = KINDS.filter((kind) => handler[kind] !== undefined);
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(handler, first, gracePeriod, path.child(first), leniency),
    ...more.map((kind) => forbidden(path.child(kind), 'may not specify more than 1 handler type')),
  ];
}

function validateAction(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  kind: (typeof KINDS)[number],
  gracePeriod: Int64 | undefined,
  path: FieldPath,
  leniency: PodLeniency,
): FieldError[] {
  switch (kind) {
    case 'exec':
      return (exec?.command ?? []).length === 0 ? [required(path.child('command'))] : [];
    case 'httpGet':
      return validateHttpGet(httpGet ?? {}, path);
    case 'tcpSocket':
      return validatePort(tcpSocket?.port, path.child('port'));
    case 'grpc':
      return validatePort(grpc?.port, path.child('port'));
    case 'sleep':
      return validateSleep(sleep?.seconds ?? 0, gracePeriod, path, leniency);
  }
}

/** Since this minor version the message of a refused zero names a gate, by a name that it does not have. */
const GATE_NAMED_SINCE = 32;

/**
 * `validateSleepAction`: zero only with the gate PodLifecycleSleepActionAllowZero.
 *
 * Source: k8s.io/kubernetes v1.31.2, v1.32.5, v1.33.3 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
function validateSleep(
  seconds: Int64,
  gracePeriod: Int64 | undefined,
  path: FieldPath,
  { zeroSleep, gates }: PodLeniency,
): FieldError[] {
  const enough = zeroSleep ? seconds >= 0 : seconds > 0;
  if (gracePeriod === undefined || (enough && seconds <= gracePeriod)) return [];
  const least = zeroSleep ? 'non-negative' : 'greater than 0';
  const namesGate = !zeroSleep && rulesOfGates(gates).minor >= GATE_NAMED_SINCE;
  const gate = namesGate ? '. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.' : '';
  const rule = `must be ${least} and less than terminationGracePeriodSeconds (${gracePeriod})${gate}`;
  return [invalidNumber(path, seconds, rule)];
}

function validateHttpGet(
  { path = '', port, scheme = '', httpHeaders = [] }: HttpGetAction,
  at: FieldPath,
): FieldError[] {
  return [
    ...(path === '' ? [required(at.child('path'))] : []),
    ...validatePort(port, at.child('port')),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(at.child('scheme'), scheme, SCHEMES)]),
    ...httpHeaders.flatMap(({ name = '' }) =>
      header.test(name) ? [] : [invalid(at.child('httpHeaders'), name, HEADER_RULE)],
    ),
  ];
}
