import type { JsonObject, JsonValue } from '../../json/json-value.js';
import {
  editedAt,
  isJsonObject,
  memberOf,
  podPartOf,
  valueAt,
  withContainers,
  withMember,
  withPodPart,
} from './edit-json.js';

/** One way to meet a check of the Pod Security Standards, and what to say of it. */
export interface SecurityEdit {
  readonly text: string;
  readonly edit: (value: JsonObject, kind: string) => JsonObject;
}

const ofContainers =
  (edit: (container: JsonObject) => JsonObject): SecurityEdit['edit'] =>
  (value, kind) =>
    withContainers(value, kind, edit);

const ofPod =
  (edit: (part: JsonObject) => JsonObject): SecurityEdit['edit'] =>
  (value, kind) =>
    withPodPart(value, kind, edit);

const inContext =
  (...path: readonly string[]) =>
  (change: (before: JsonValue | undefined) => JsonValue | undefined) =>
  (container: JsonObject): JsonObject =>
    editedAt(container, ['securityContext', ...path], change);

/** Of a pod or container, a member that is taken out where it is set. */
const without =
  (...path: readonly string[]) =>
  (part: JsonObject): JsonObject =>
    valueAt(part, path) === undefined ? part : editedAt(part, path, () => undefined);

const ALLOWED_CAPABILITY = 'NET_BIND_SERVICE';

/**
 * What makes a pod meet the Pod Security Standards without asking its author anything: each as small as it can be, and only where the
 * program in the container need not know. A pod that runs as root, or mounts the host's files, cannot be helped like this.
 *
 * Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/ for v1.36.
 */
export const SECURITY_EDITS: readonly SecurityEdit[] = [
  {
    text: 'set allowPrivilegeEscalation to false in every container',
    edit: ofContainers(inContext('allowPrivilegeEscalation')(() => false)),
  },
  {
    text: 'drop all capabilities in every container',
    edit: ofContainers((container) => {
      const capabilities = valueAt(container, ['securityContext', 'capabilities']);
      const added = isJsonObject(capabilities) ? memberOf(capabilities, 'add') : undefined;
      const kept = Array.isArray(added) ? added.filter((one) => one === ALLOWED_CAPABILITY) : [];
      return editedAt(container, ['securityContext', 'capabilities'], () => ({
        ...(kept.length > 0 && { add: kept }),
        drop: ['ALL'],
      }));
    }),
  },
  {
    text: 'set runAsNonRoot to true',
    edit: (value, kind) =>
      withContainers(
        withPodPart(value, kind, (part) => editedAt(part, ['spec', 'securityContext', 'runAsNonRoot'], () => true)),
        kind,
        (container) =>
          valueAt(container, ['securityContext', 'runAsNonRoot']) === false
            ? without('securityContext', 'runAsNonRoot')(container)
            : container,
      ),
  },
  {
    text: 'use the seccomp profile RuntimeDefault',
    edit: (value, kind) =>
      withContainers(
        withPodPart(value, kind, (part) =>
          editedAt(part, ['spec', 'securityContext', 'seccompProfile'], () => ({ type: 'RuntimeDefault' })),
        ),
        kind,
        (container) =>
          valueAt(container, ['securityContext', 'seccompProfile', 'type']) === 'Unconfined'
            ? without('securityContext', 'seccompProfile')(container)
            : container,
      ),
  },
  {
    text: 'do not run containers privileged',
    edit: ofContainers(without('securityContext', 'privileged')),
  },
  {
    text: 'do not add capabilities',
    edit: ofContainers(without('securityContext', 'capabilities', 'add')),
  },
  {
    text: 'do not use the host network, process or IPC namespace',
    edit: ofPod((part) =>
      (['hostNetwork', 'hostPID', 'hostIPC'] as const).reduce((changed, name) => without('spec', name)(changed), part),
    ),
  },
  {
    text: 'do not use host ports',
    edit: ofContainers((container) => {
      const ports = memberOf(container, 'ports');
      if (!Array.isArray(ports)) return container;
      return withMember(
        container,
        'ports',
        ports.map((port) => (isJsonObject(port) ? withMember(port, 'hostPort', undefined) : port)),
      );
    }),
  },
  {
    text: 'use the default proc mount',
    edit: ofContainers(without('securityContext', 'procMount')),
  },
];

export const hasPod = (value: JsonObject, kind: string): boolean => podPartOf(value, kind) !== undefined;
