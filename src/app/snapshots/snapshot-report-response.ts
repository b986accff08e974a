import type { invalidField, snapshotFinding, snapshotReport } from '../../contract/snapshots/snapshot-report.js';
import type { Response } from '../../contract/schema.js';
import type { IngestReport, InvalidItem, SnapshotFinding } from '../../ingest/ingest-report.js';

export function snapshotReportResponse(report: IngestReport): Response<typeof snapshotReport> {
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
    invalid: { count: invalid.count, first: invalid.first.map(invalidFieldResponse) },
    findings: { count: findings.count, first: findings.first.map(renderFinding) },
    kubeletVersions,
  };
}

function invalidFieldResponse({ type, ...field }: InvalidItem): Response<typeof invalidField> {
  return { ...field, code: type };
}

function renderFinding(finding: SnapshotFinding): Response<typeof snapshotFinding> {
  const { code, message } = finding;
  const none = { node: null, kind: null, field: null, suggestion: null, podCount: null, pods: [] };
  if (code === 'unknown-field') {
    const { kind, field, suggestion } = finding;
    return { ...none, code, kind, field, suggestion, message };
  }
  const pods = code === 'pod-on-absent-node' ? finding.pods : undefined;
  return { ...none, code, node: finding.node, podCount: pods?.count ?? null, pods: pods?.first ?? [], message };
}
