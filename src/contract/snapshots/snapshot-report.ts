import { exampleOf } from '../example-of.js';
import { enumType, object } from '../schema.js';

export const keptObjects = object('KeptObjects', 'How many objects of a kind were kept.', {
  kind: { type: 'string', description: 'The kind.', example: 'Pod' },
  count: { type: 'integer', description: 'How many; of several with one name one is counted.', example: 42 },
});

export const ignoredObjects = object(
  'IgnoredObjects',
  'Objects of a kind that has no meaning here: counted and left out.',
  {
    apiVersion: { type: 'string', description: 'The API version.', example: 'v1' },
    kind: { type: 'string', description: 'The kind.', example: 'ConfigMap' },
    count: { type: 'integer', description: 'How many.', example: 3 },
  },
);

export const unknownFields = object('UnknownFields', 'Fields that their kind does not have. They are not kept.', {
  count: { type: 'integer', description: 'How many there are.', example: 1 },
  first: { type: 'string', list: true, description: 'The first of them, by path.', example: ['spec.colour'] },
});

export const duplicateObject = object('DuplicateObject', 'An object that came more than once.', {
  kind: { type: 'string', description: 'The kind.', example: 'Pod' },
  namespace: { type: 'string', description: 'The namespace; empty for kinds that have none.', example: 'default' },
  name: { type: 'string', description: 'The name.', example: 'web-0' },
  item: { type: 'integer', description: 'Position in the stream, from 0, of the one that hides the former.' },
});

export const duplicateObjects = object('DuplicateObjects', 'Objects that came more than once; the last one is kept.', {
  count: { type: 'integer', description: 'How many there are.', example: 0 },
  first: { type: duplicateObject, list: true, description: 'The first of them.', example: [] },
});

export const invalidField = object('InvalidField', 'A field that Kubernetes would refuse.', {
  item: { type: 'integer', description: 'Position of the object in the stream, from 0.', example: 0 },
  kind: { type: 'string', description: 'The kind of the object; empty where it has none.', example: 'Node' },
  namespace: { type: 'string', description: 'Its namespace; empty where it has none.', example: '' },
  name: { type: 'string', description: 'Its name; empty where it has none.', example: 'node-1' },
  pointer: {
    type: 'string',
    description: 'The field, as a JSON pointer into the object.',
    example: '/spec/taints/0/key',
  },
  field: { type: 'string', description: "The field, in Kubernetes' notation.", example: 'spec.taints[0].key' },
  code: { type: 'string', description: "What kind of fault, in Kubernetes' terms.", example: 'FieldValueInvalid' },
  message: { type: 'string', description: 'In words.' },
});

export const invalidFields = object('InvalidFields', 'Bad fields; none unless invalid objects were to be kept.', {
  count: { type: 'integer', description: 'How many there are.', example: 0 },
  first: { type: invalidField, list: true, description: 'The first of them.', example: [] },
});

export const SNAPSHOT_FINDING_CODE = enumType('SnapshotFindingCode', 'What was found in a snapshot, for programs.', [
  'pod-on-absent-node',
  'node-without-status',
]);

export const snapshotFinding = object(
  'SnapshotFinding',
  'Something worth knowing of a snapshot that is kept all the same.',
  {
    code: {
      type: SNAPSHOT_FINDING_CODE,
      description: '`pod-on-absent-node` or `node-without-status`.',
      example: 'pod-on-absent-node',
    },
    node: { type: 'string', description: 'The node.', example: 'node-7' },
    podCount: {
      type: 'integer',
      optional: true,
      description: 'How many pods name the node; null where it is not about pods.',
    },
    pods: { type: 'string', list: true, description: 'Some of these pods, as `namespace/name`.' },
    message: { type: 'string', description: 'In words.' },
  },
);

export const snapshotFindings = object('SnapshotFindings', 'What was found in a snapshot, shortened.', {
  count: { type: 'integer', description: 'How many there are.', example: 0 },
  first: { type: snapshotFinding, list: true, description: 'The first of them.', example: [] },
});

export const kubeletVersions = object('KubeletVersions', "The versions of the cluster's kubelets.", {
  oldest: { type: 'string', description: 'The oldest.', example: 'v1.33.4' },
  newest: { type: 'string', description: 'The newest.', example: 'v1.34.1' },
});

export const snapshotReport = object('SnapshotReport', 'What was kept of a snapshot, what was not, and why.', {
  bytesRead: { type: 'int64', description: 'Bytes as they were received.', example: 1024 },
  bytesDecoded: { type: 'int64', description: 'Bytes once they were unpacked.', example: 8192 },
  items: { type: 'integer', description: 'Objects, of whatever kind.', example: 46 },
  kept: { type: keptObjects, list: true, description: 'Objects kept, by kind.' },
  ignored: {
    type: ignoredObjects,
    list: true,
    description: 'Objects left out, the most frequent kind first.',
  },
  droppedFields: {
    type: 'int64',
    description: 'Fields that are known and not needed. They are not kept.',
    example: 310,
  },
  unknownFields: { type: unknownFields, description: 'Fields that their kind does not have.' },
  duplicates: { type: duplicateObjects, description: 'Objects that came more than once.' },
  invalid: { type: invalidFields, description: 'Bad fields, where invalid objects were to be kept.' },
  findings: { type: snapshotFindings, description: 'What is worth knowing.' },
  kubeletVersions: {
    type: kubeletVersions,
    optional: true,
    description: 'Null when no node states one.',
    example: exampleOf(kubeletVersions),
  },
});
