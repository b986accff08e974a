import type { PodTable } from '../cluster/pod-table.js';
import type { SelectableFields } from '../kubernetes/field-selector.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import { POD_FIELDS } from '../kubernetes/selectable-fields.js';

/** A pod of a state that is not assembled. */
export interface StoredPod {
  readonly pods: PodTable;
  readonly index: number;
}

const ofSpec =
  (read: (spec: PodSpec) => string) =>
  ({ pods, index }: StoredPod) =>
    read(pods.specOf(pods.specId(index)));
const nodeName = ({ pods, index }: StoredPod): string => pods.nodeName(index);

/** Those of `POD_FIELDS` that the columns provide without assembling the pod. */
const COLUMNS: ReadonlyMap<string, (pod: StoredPod) => string> = new Map([
  ['metadata.name', ({ pods, index }: StoredPod) => pods.name(index)],
  ['metadata.namespace', ({ pods, index }: StoredPod) => pods.namespace(index)],
  ['spec.nodeName', nodeName],
  ['spec.host', nodeName],
  ['spec.restartPolicy', ofSpec((spec) => spec.restartPolicy ?? '')],
  ['spec.schedulerName', ofSpec((spec) => spec.schedulerName ?? '')],
  ['spec.serviceAccountName', ofSpec((spec) => spec.serviceAccountName ?? '')],
  ['spec.hostNetwork', ofSpec((spec) => String(spec.hostNetwork ?? false))],
  ['status.phase', ({ pods, index }: StoredPod) => pods.phase(index)],
  ['status.nominatedNodeName', ({ pods, index }: StoredPod) => pods.nominatedNodeName(index)],
]);

/** The fields of a pod that a field selector may use, read from the columns of its state if possible. */
export const STORED_POD_FIELDS: SelectableFields<StoredPod> = new Map(
  [...POD_FIELDS].map(([field, read]) => [
    field,
    COLUMNS.get(field) ?? (({ pods, index }: StoredPod): string => read(pods.pod(index))),
  ]),
);
