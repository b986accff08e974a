import { isJsonObject, type JsonObject } from '../../core/json/json-value.js';
import type { DeviceTaintRule } from '../../core/kubernetes/objects/dra.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import { isNoLabelDifference, labelDifference } from '../../core/taint-change/label-difference.js';
import { replanRule } from '../../core/taint-change/rule-change.js';
import type { RecordedNodeChange } from '../../core/taint-change/undo-change.js';
import type { Decision, WriteTarget } from './taint-writer.js';

/** A DeviceTaintRule, which a change creates, replaces or removes. @param apiVersion in which the API server has it */
export function ruleTarget(name: string, change: RecordedNodeChange, apiVersion: string): WriteTarget {
  const all = `/apis/${apiVersion}/devicetaintrules`;
  return {
    name: `DeviceTaintRule ${name}`,
    path: `${all}/${encodeURIComponent(name)}`,
    decide: (object): Decision => {
      const planned = replanRule(object as unknown as DeviceTaintRule | undefined, name, change);
      switch (planned.outcome) {
        case 'create': {
          const { metadata, spec } = planned.asked;
          const body = { apiVersion, kind: 'DeviceTaintRule', metadata, spec } as unknown as JsonObject;
          return { outcome: 'write', request: { method: 'POST', path: all, body } };
        }
        case 'replace':
          return { outcome: 'write', request: { method: 'PATCH', body: rulePatch(object!, planned.asked) } };
        case 'remove':
          return { outcome: 'write', request: { method: 'DELETE' } };
        default:
          return planned;
      }
    },
    isWrittenBy: (object, manager) => hasTimed(object, change, manager),
  };
}

function rulePatch(live: JsonObject, { metadata, spec }: DeviceTaintRule): JsonObject[] {
  const { resourceVersion, labels } = live['metadata'] as JsonObject;
  const wanted = metadata.labels ?? {};
  const relabels = !isNoLabelDifference(labelDifference(labels as Labels | undefined, wanted));
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion! },
    { op: 'replace', path: '/spec', value: spec as unknown as JsonObject },
    ...(relabels ? [{ op: 'add', path: '/metadata/labels', value: wanted }] : []),
  ];
}

/**
 * Whether a manager gave a rule the time of a change. Each change has a time of its own, so whoever owns the field made the change; without
 * one, nothing is proven.
 */
function hasTimed(rule: JsonObject, { difference: { added, changed } }: RecordedNodeChange, manager: string): boolean {
  const after = added[0] ?? changed[0]?.after;
  const time = after?.timeAdded;
  const stands = (rule as unknown as DeviceTaintRule).spec?.taint.timeAdded;
  if (time === undefined || stands === undefined || changed[0]?.before.timeAdded === time) return false;
  if (Math.floor(Date.parse(time) / 1000) !== Math.floor(Date.parse(stands) / 1000)) return false;
  const entries = (rule['metadata'] as JsonObject)['managedFields'];
  return (Array.isArray(entries) ? entries : []).some(
    (entry) => isJsonObject(entry) && entry['manager'] === manager && owns(entry['fieldsV1']),
  );
}

function owns(fields: unknown): boolean {
  const { 'f:spec': spec } = (fields ?? {}) as { readonly 'f:spec'?: { readonly 'f:taint'?: object } };
  return Object.hasOwn(spec?.['f:taint'] ?? {}, 'f:timeAdded');
}
