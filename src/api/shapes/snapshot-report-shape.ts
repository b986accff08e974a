import { ObjectType } from '@nestjs/graphql';
import type { IngestReport, InvalidItem, SnapshotFinding } from '../../ingest/ingest-report.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';

@ObjectType('KeptObjects', { description: 'How many objects of a kind were kept.' })
export class KeptObjectsShape {
  @Shown({ type: 'string', description: 'The kind.', example: 'Pod' })
  kind!: string;

  @Shown({ type: 'integer', description: 'How many; of several with one name one is counted.', example: 42 })
  count!: number;
}

@ObjectType('IgnoredObjects', { description: 'Objects of a kind that has no meaning here: counted and left out.' })
export class IgnoredObjectsShape {
  @Shown({ type: 'string', description: 'The API version.', example: 'v1' })
  apiVersion!: string;

  @Shown({ type: 'string', description: 'The kind.', example: 'ConfigMap' })
  kind!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 3 })
  count!: number;
}

@ObjectType('UnknownFields', { description: 'Fields that their kind does not have. They are not kept.' })
export class UnknownFieldsShape {
  @Shown({ type: 'integer', description: 'How many there are.', example: 1 })
  count!: number;

  @Shown({ type: 'string', list: true, description: 'The first of them, by path.', example: ['spec.colour'] })
  first!: readonly string[];
}

@ObjectType('DuplicateObject', { description: 'An object that came more than once.' })
export class DuplicateObjectShape {
  @Shown({ type: 'string', description: 'The kind.', example: 'Pod' })
  kind!: string;

  @Shown({ type: 'string', description: 'The namespace; empty for kinds that have none.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'The name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'integer', description: 'Position in the stream, from 0, of the one that hides the former.' })
  item!: number;
}

@ObjectType('DuplicateObjects', { description: 'Objects that came more than once; the last one is kept.' })
export class DuplicateObjectsShape {
  @Shown({ type: 'integer', description: 'How many there are.', example: 0 })
  count!: number;

  @Shown({ type: () => DuplicateObjectShape, list: true, description: 'The first of them.' })
  first!: readonly Plain<DuplicateObjectShape>[];
}

@ObjectType('InvalidField', { description: 'A field that Kubernetes would refuse.' })
export class InvalidFieldShape {
  @Shown({ type: 'integer', description: 'Position of the object in the stream, from 0.', example: 0 })
  item!: number;

  @Shown({ type: 'string', description: 'The kind of the object; empty where it has none.', example: 'Node' })
  kind!: string;

  @Shown({ type: 'string', description: 'Its namespace; empty where it has none.', example: '' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name; empty where it has none.', example: 'node-1' })
  name!: string;

  @Shown({
    type: 'string',
    description: 'The field, as a JSON pointer into the object.',
    example: '/spec/taints/0/key',
  })
  pointer!: string;

  @Shown({ type: 'string', description: "The field, in Kubernetes' notation.", example: 'spec.taints[0].key' })
  field!: string;

  @Shown({ type: 'string', description: "What kind of fault, in Kubernetes' terms.", example: 'FieldValueInvalid' })
  code!: string;

  @Shown({ type: 'string', description: 'In words.' })
  message!: string;
}

@ObjectType('InvalidFields', { description: 'Bad fields; none unless invalid objects were to be kept.' })
export class InvalidFieldsShape {
  @Shown({ type: 'integer', description: 'How many there are.', example: 0 })
  count!: number;

  @Shown({ type: () => InvalidFieldShape, list: true, description: 'The first of them.' })
  first!: readonly Plain<InvalidFieldShape>[];
}

@ObjectType('SnapshotFinding', { description: 'Something worth knowing of a snapshot that is kept all the same.' })
export class SnapshotFindingShape {
  @Shown({
    type: 'string',
    description: '`pod-on-absent-node` or `node-without-status`.',
    example: 'pod-on-absent-node',
  })
  code!: string;

  @Shown({ type: 'string', description: 'The node.', example: 'node-7' })
  node!: string;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'How many pods name the node; null where it is not about pods.',
  })
  podCount!: number | null;

  @Shown({ type: 'string', list: true, description: 'Some of these pods, as `namespace/name`.' })
  pods!: readonly string[];

  @Shown({ type: 'string', description: 'In words.' })
  message!: string;
}

@ObjectType('SnapshotFindings')
export class SnapshotFindingsShape {
  @Shown({ type: 'integer', description: 'How many there are.', example: 0 })
  count!: number;

  @Shown({ type: () => SnapshotFindingShape, list: true, description: 'The first of them.' })
  first!: readonly Plain<SnapshotFindingShape>[];
}

@ObjectType('KubeletVersions', { description: "The versions of the cluster's kubelets." })
export class KubeletVersionsShape {
  @Shown({ type: 'string', description: 'The oldest.', example: 'v1.33.4' })
  oldest!: string;

  @Shown({ type: 'string', description: 'The newest.', example: 'v1.34.1' })
  newest!: string;
}

@ObjectType('SnapshotReport', { description: 'What was kept of a snapshot, what was not, and why.' })
export class SnapshotReportShape {
  @Shown({ type: 'int64', description: 'Bytes as they were received.', example: 1024 })
  bytesRead!: number;

  @Shown({ type: 'int64', description: 'Bytes once they were unpacked.', example: 8192 })
  bytesDecoded!: number;

  @Shown({ type: 'integer', description: 'Objects, of whatever kind.', example: 46 })
  items!: number;

  @Shown({ type: () => KeptObjectsShape, list: true, description: 'Objects kept, by kind.' })
  kept!: readonly Plain<KeptObjectsShape>[];

  @Shown({
    type: () => IgnoredObjectsShape,
    list: true,
    description: 'Objects left out, the most frequent kind first.',
  })
  ignored!: readonly Plain<IgnoredObjectsShape>[];

  @Shown({ type: 'int64', description: 'Fields that are known and not needed. They are not kept.', example: 310 })
  droppedFields!: number;

  @Shown({ type: () => UnknownFieldsShape, description: 'Fields that their kind does not have.' })
  unknownFields!: Plain<UnknownFieldsShape>;

  @Shown({ type: () => DuplicateObjectsShape, description: 'Objects that came more than once.' })
  duplicates!: Plain<DuplicateObjectsShape>;

  @Shown({ type: () => InvalidFieldsShape, description: 'Bad fields, where invalid objects were to be kept.' })
  invalid!: Plain<InvalidFieldsShape>;

  @Shown({ type: () => SnapshotFindingsShape, description: 'What is worth knowing.' })
  findings!: Plain<SnapshotFindingsShape>;

  @Shown({ type: () => KubeletVersionsShape, optional: true, description: 'Null when no node states one.' })
  kubeletVersions!: Plain<KubeletVersionsShape> | null;
}

export function snapshotReportShape(report: IngestReport): Plain<SnapshotReportShape> {
  const { bytesRead, bytesDecoded, items, kept, ignored, droppedFields } = report;
  const { unknownFields, duplicates, invalid, findings, kubeletVersions } = report;
  return {
    bytesRead,
    bytesDecoded,
    items,
    kept,
    ignored,
    droppedFields,
    unknownFields,
    duplicates,
    invalid: { count: invalid.count, first: invalid.first.map(invalidFieldShape) },
    findings: { count: findings.count, first: findings.first.map(snapshotFindingShape) },
    kubeletVersions,
  };
}

function invalidFieldShape({ type, ...field }: InvalidItem): Plain<InvalidFieldShape> {
  return { ...field, code: type };
}

function snapshotFindingShape(finding: SnapshotFinding): Plain<SnapshotFindingShape> {
  const { code, node, message } = finding;
  const pods = finding.code === 'pod-on-absent-node' ? finding.pods : undefined;
  return { code, node, podCount: pods?.count ?? null, pods: pods?.first ?? [], message };
}
