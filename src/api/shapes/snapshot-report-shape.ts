import { invalidField, snapshotFinding, snapshotReport } from '../../contract/snapshots/snapshot-report.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { IngestReport, InvalidItem, SnapshotFinding } from '../../ingest/ingest-report.js';
import type { Plain } from './plain.js';

export const InvalidFieldShape = responseClass(invalidField);
export type InvalidFieldShape = Response<typeof invalidField>;

export const SnapshotFindingShape = responseClass(snapshotFinding);
export type SnapshotFindingShape = Response<typeof snapshotFinding>;

export const SnapshotReportShape = responseClass(snapshotReport);
export type SnapshotReportShape = Response<typeof snapshotReport>;

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
