import { duplicate, invalid, notSupported, placedAt, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { IntOrString } from '../../objects/meta.js';
import type { Container, ContainerPort } from '../../objects/pod.js';
import { byteLength } from '../names.js';
import { between, invalidNumber } from './complaints.js';

/** `validateContainerPorts`. Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
export function validateContainerPorts(ports: readonly ContainerPort[], path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort, hostPort = 0, protocol = '' }, index) => {
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (name !== '') {
      const wrong = isValidPortName(name);
      if (wrong.length > 0) errors.push(...wrong.map((message) => invalid(at.child('name'), name, message)));
      else if (names.has(name)) errors.push(duplicate(at.child('name'), name));
      else names.add(name);
    }
    if (containerPort === 0) errors.push(required(at.child('containerPort')));
    else errors.push(...validatePortNumber(containerPort, at.child('containerPort')));
    if (hostPort !== 0) errors.push(...validatePortNumber(hostPort, at.child('hostPort')));
    if (protocol === '') errors.push(required(at.child('protocol')));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(at.child('protocol'), protocol, PROTOCOLS));
    return errors;
  });
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/**
 * `checkHostPortConflicts`: no two ports of the containers may use the same host port.
 *
 * Upstream checks init containers one at a time, so it reports each as if it were the first.
 *
 * @param place the actual index of the first of the containers
 */
export function validateHostPortConflicts(
  containers: readonly Pick<Container, 'ports'>[],
  path: FieldPath,
  place = 0,
): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ protocol = '', hostIP = '', hostPort = 0 }, port) => {
      if (hostPort === 0) return [];
      const wanted = `${protocol}/${hostIP}/${hostPort}`;
      if (!taken.has(wanted)) {
        taken.add(wanted);
        return [];
      }
      const at = (container: number): FieldPath => path.index(container).child('ports').index(port).child('hostPort');
      return [placedAt(duplicate(at(index), wanted), at(index + place))];
    }),
  );
}

/** `validatePodHostNetworkDeps`: on the host network, a port must equal its host port. */
export function validateHostNetworkPorts(containers: readonly Container[], path: FieldPath): FieldError[] {
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ containerPort, hostPort = 0 }, port) =>
      hostPort === containerPort
        ? []
        : [
            invalidNumber(
              path.index(index).child('ports').index(port).child('hostPort'),
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ],
    ),
  );
}

/** `ValidatePortNumOrName`; an absent port is 0. */
export function validatePort(port: IntOrString = 0, path: FieldPath): FieldError[] {
  return typeof port === 'number'
    ? validatePortNumber(port, path)
    : isValidPortName(port).map((message) => invalid(path, port, message));
}

const validatePortNumber = (port: number, path: FieldPath): FieldError[] =>
  port >= 1 && port <= 65535 ? [] : [invalidNumber(path, port, between(1, 65535))];

/** `IsValidPortName`: at most 15 lower-case letters, digits and single hyphens, with at least one letter. */
function isValidPortName(name: string): string[] {
  const errors: string[] = [];
  if (byteLength(name) > 15) errors.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}
