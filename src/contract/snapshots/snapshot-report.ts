import { exampleOf } from '../example-of.js';
import { enumType, object } from '../schema.js';

export const keptObjects = object('KeptObjects', 'Number of objects of one kind that were kept.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  count: { type: 'integer', description: 'Number of objects; those with the same name count once.', example: 42 },
});

export const ignoredObjects = object('IgnoredObjects', 'Objects of a kind that is not used: counted and ignored.', {
  apiVersion: { type: 'identifier', description: 'The API version.', example: 'v1' },
  kind: { type: 'identifier', description: 'The kind.', example: 'Secret' },
  count: { type: 'integer', description: 'Number of objects.', example: 3 },
});

export const unknownFields = object('UnknownFields', 'Fields that do not exist in their kind. They are not kept.', {
  count: { type: 'integer', description: 'Number of unknown fields.', example: 1 },
  first: { type: 'identifier', list: true, description: 'Paths of the first fields.', example: ['spec.colour'] },
});

export const duplicateObject = object('DuplicateObject', 'An object that occurs more than once.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  namespace: {
    type: 'identifier',
    description: 'Object namespace; empty for cluster-scoped kinds.',
    example: 'default',
  },
  name: { type: 'identifier', description: 'The name.', example: 'web-0' },
  item: {
    type: 'integer',
    description: 'Position in the stream, from 0, of the object that replaces the earlier one.',
  },
});

export const duplicateObjects = object('DuplicateObjects', 'Objects that occur more than once; the last one is kept.', {
  count: { type: 'integer', description: 'Number of duplicates.', example: 0 },
  first: { type: duplicateObject, list: true, description: 'The first duplicates.', example: [] },
});

export const invalidField = object('InvalidField', 'A field that Kubernetes would reject.', {
  item: { type: 'integer', description: 'Position of the object in the stream, from 0.', example: 0 },
  kind: { type: 'identifier', description: 'Kind of the object; empty if missing.', example: 'Node' },
  namespace: { type: 'identifier', description: 'Object namespace; empty if missing.', example: '' },
  name: { type: 'identifier', description: 'Object name; empty if missing.', example: 'node-1' },
  pointer: {
    type: 'identifier',
    description: 'JSON pointer to the field in the object.',
    example: '/spec/taints/0/key',
  },
  field: {
    type: 'identifier',
    description: 'Path of the field in the notation of Kubernetes.',
    example: 'spec.taints[0].key',
  },
  code: { type: 'identifier', description: "Type of the error in Kubernetes' terms.", example: 'FieldValueInvalid' },
  message: { type: 'string', description: 'The error as text.' },
});

export const invalidFields = object('InvalidFields', 'Invalid fields; empty unless invalid objects are kept.', {
  count: { type: 'integer', description: 'Number of invalid fields.', example: 0 },
  first: { type: invalidField, list: true, description: 'The first invalid fields.', example: [] },
});

export const SNAPSHOT_FINDING_CODE = enumType('SnapshotFindingCode', 'Stable code of a finding about a snapshot.', [
  'pod-on-absent-node',
  'node-without-status',
  'unknown-field',
]);

export const snapshotFinding = object('SnapshotFinding', 'A finding about a snapshot that is stored anyway.', {
  code: {
    type: SNAPSHOT_FINDING_CODE,
    description: 'Stable code.',
    example: 'pod-on-absent-node',
  },
  node: {
    type: 'identifier',
    optional: true,
    description: 'Node name, if it is about a node.',
    example: 'node-7',
  },
  kind: { type: 'identifier', optional: true, description: 'Kind that lacks the field.' },
  field: {
    type: 'identifier',
    optional: true,
    description: 'Path of the unknown field, without indices.',
  },
  suggestion: {
    type: 'identifier',
    optional: true,
    description: 'Known field with the nearest name.',
  },
  podCount: {
    type: 'integer',
    optional: true,
    description: 'Number of pods that name the node.',
  },
  pods: { type: 'identifier', list: true, description: 'Some of the pods, as `namespace/name`.' },
  message: { type: 'string', description: 'The finding as text.' },
});

export const snapshotFindings = object('SnapshotFindings', 'Findings in a snapshot, abridged.', {
  count: { type: 'integer', description: 'Number of findings.', example: 0 },
  first: { type: snapshotFinding, list: true, description: 'The first findings.', example: [] },
});

export const kubeletVersions = object('KubeletVersions', 'Kubelet versions of the cluster.', {
  oldest: { type: 'identifier', description: 'Oldest version.', example: 'v1.33.4' },
  newest: { type: 'identifier', description: 'Newest version.', example: 'v1.34.1' },
});

export const snapshotReport = object('SnapshotReport', 'What was kept of a snapshot, what was not, and why.', {
  bytesRead: { type: 'int64', description: 'Received size in bytes.', example: 1024 },
  bytesDecoded: { type: 'int64', description: 'Decompressed size in bytes.', example: 8192 },
  items: { type: 'integer', description: 'Number of objects of all kinds.', example: 46 },
  kept: { type: keptObjects, list: true, description: 'Kept objects by kind.' },
  ignored: {
    type: ignoredObjects,
    list: true,
    description: 'Ignored objects, the most frequent kind first.',
  },
  droppedFields: {
    type: 'int64',
    description: 'Number of known fields that are not used. They are not kept.',
    example: 310,
  },
  unknownFields: { type: unknownFields, description: 'Fields that do not exist in their kind.' },
  duplicates: { type: duplicateObjects, description: 'Objects that occur more than once.' },
  invalid: { type: invalidFields, description: 'Invalid fields, if invalid objects are kept.' },
  findings: { type: snapshotFindings, description: 'Findings in the snapshot.' },
  kubeletVersions: {
    type: kubeletVersions,
    optional: true,
    description: 'Kubelet versions; null if no node reports one.',
    example: exampleOf(kubeletVersions),
  },
});
