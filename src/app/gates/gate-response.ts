import type { gateNodeGroup, gateObjectName } from '../../contract/gates/gate.js';
import type { Response } from '../../contract/schema.js';
import { allNodes } from '../../core/cluster/all-nodes.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { givenDevices } from '../../core/devices/given-devices.js';
import type { ObjectOutcome, Rollout, WorkloadOutcome } from '../../core/rollout/rollout.js';
import { quotaChanges } from '../../core/gate/gate-warnings.js';
import type { Doubt, GateReason } from '../../core/gate/judge-rollout.js';
import type { Gate } from '../../core/gate/step-gate.js';
import type { ProposedChange } from '../../core/gate/proposal/proposed-changes.js';
import { compare } from '../../core/json/compare.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';
import { podPartOf, valueAt } from '../../core/gate/proposal/edit-json.js';
import { templatePath } from '../../core/kubernetes/pod-template.js';
import { groupNodes, type PlacementGroup } from '../../core/placement/node-groups.js';
import type { Placement } from '../../core/placement/placement.js';
import { ServiceError } from '../errors/service-error.js';
import type { SubjectPlaces } from '../placements/node-response.js';
import { groupResponse } from '../placements/render-groups.js';
import { ResponseBudget } from '../placements/response-budget.js';
import type { GateAnswer } from './gate-names.js';

/** Devices that a node of a workload lists. */
const MAX_DEVICES_OF_GATE = 100;

/** Groups of nodes that a reason lists. */
const MOST_GROUPS = 20;
/** Nodes that a group lists. */
const MOST_NODES = 20;

/** The answer of a gate, except what it is based on and its record. With a pause after each part of its lists. */
export function* stepGateResponse(
  judged: Gate,
): Generator<undefined, Omit<GateAnswer, 'basis' | 'decision' | 'dryRuns'>> {
  const { objects, rollout, doubts, judgement, warnings, proposal, searchNote } = judged;
  const reasons: GateAnswer['reasons'][number][] = [];
  for (const reason of judgement.reasons) {
    reasons.push(reasonResponse(reason));
    yield;
  }
  const shown: GateAnswer['objects'][number][] = [];
  for (const [index, object] of objects.entries()) {
    shown.push({ ...objectName(object), ...outcomeResponse(rollout.objects[index]!, doubts[index]!) });
    yield;
  }
  const workloads: GateAnswer['workloads'][number][] = [];
  for (const workload of rollout.workloads) {
    const object = workload.object === undefined ? undefined : objects[workload.object];
    if (object !== undefined) workloads.push(workloadResponse(workload, object, rollout));
    yield;
  }
  return {
    verdict: judgement.verdict,
    summary: judgement.summary,
    reasons,
    objects: shown,
    workloads,
    warnings: warnings.map(({ code, rule, message, object, field }) => ({
      code,
      rule: rule ?? null,
      message,
      object: object === undefined ? null : objectName(object),
      field: field ?? null,
    })),
    quotas: quotaChanges(rollout).map(({ hard, before, after, ...quota }) => ({
      ...quota,
      hard: hard.toString(),
      before: before.toString(),
      after: after.toString(),
    })),
    changes: proposal?.map(changeResponse) ?? null,
    changesNote: searchNote ?? null,
    load: judgement.load,
  };
}

function objectName(
  object: Pick<ManifestObject, 'apiVersion' | 'kind' | 'namespace' | 'name'> & Partial<Pick<ManifestObject, 'source'>>,
): Response<typeof gateObjectName> {
  const { apiVersion, kind, namespace = null, name, source } = object;
  const { document = null, line = null, pointer = null } = source ?? {};
  return { apiVersion, kind, namespace, name, document, line, pointer };
}

function reasonResponse({ code, verdict, object, message, by, pods, waiting, load }: GateReason) {
  return {
    code,
    verdict,
    object: object === undefined ? null : objectName(object),
    message,
    by: by ?? null,
    pods,
    nodeGroups: waiting === undefined || object === undefined ? [] : nodeGroups(waiting.placement, object),
    load,
  };
}

/** The nodes that do not take a pod, by their reasons; those with the most nodes first. */
function nodeGroups(placement: Placement, object: ManifestObject): readonly Response<typeof gateNodeGroup>[] {
  const subject = placesIn(object);
  return groupsOf(placement)
    .filter(({ verdict }) => verdict !== 'feasible')
    .slice(0, MOST_GROUPS)
    .map((group) => {
      const { reasons, untoleratedTaints, nodes, columns, count } = groupResponse({ placement, subject }, group);
      return {
        count,
        nodes: nodes.slice(0, MOST_NODES),
        reasons,
        untoleratedTaints,
        columns: columns.map((column) => ({ ...column, values: column.values.slice(0, MOST_NODES) })),
      };
    });
}

/** No groups where the nodes differ in too many ways to say anything short. */
function groupsOf(placement: Placement): readonly PlacementGroup[] {
  const budget = new ResponseBudget();
  try {
    return groupNodes(placement, allNodes(placement.state), (reasons) => {
      budget.addReasons(reasons);
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'budget-exceeded') return [];
    throw error;
  }
}

/** Where the parts of a pod are in the manifest that it comes from. */
function placesIn(object: ManifestObject): SubjectPlaces {
  const path = templatePath(object);
  const part = podPartOf(object.value, object.kind);
  const given = part === undefined ? undefined : valueAt(part, ['spec', 'tolerations']);
  return {
    pointer: [object.source.pointer, ...path].join('/'),
    path: path.map((name) => `${name}.`).join(''),
    givenTolerations: Array.isArray(given) ? (given as unknown as readonly Toleration[]) : [],
    placedFields: new Map(),
  };
}

function outcomeResponse(outcome: ObjectOutcome, doubts: readonly Doubt[]) {
  if (outcome.outcome === 'notLookedAt') {
    return { outcome: outcome.outcome, code: null, message: outcome.why, warnings: [] };
  }
  const { code } = outcome;
  const undecided = [...outcome.undecided, ...doubts];
  if (outcome.outcome === 'refused') {
    const { message, certain } = outcome;
    return { outcome: certain ? outcome.outcome : 'unknown', code, message, warnings: [] } as const;
  }
  const { warnings } = outcome;
  if (undecided.length === 0) return { outcome: outcome.outcome, code, message: null, warnings };
  return {
    outcome: 'unknown',
    code: null,
    message: [...new Set(undecided.map(({ why }) => why))].join('; '),
    warnings,
  } as const;
}

function workloadResponse(
  workload: WorkloadOutcome,
  object: ManifestObject,
  { preempted }: Rollout,
): GateAnswer['workloads'][number] {
  const { desired, created, bound, pending, ready, nodes, devices, failedCreate, failedScheduling } = workload;
  return {
    ...objectName(object),
    desired,
    created,
    bound,
    pending,
    ready,
    nodes: [...nodes]
      .map(([node, pods]) => ({
        node,
        pods,
        devices: givenDevices(devices.get(node) ?? []).slice(0, MAX_DEVICES_OF_GATE),
      }))
      .sort((a, b) => b.pods - a.pods || compare(a.node, b.node)),
    failedCreate: failedCreate.map(({ text }) => ({ message: text, pods: null })),
    failedScheduling: failedScheduling.flatMap(({ text, pods }) =>
      text === undefined ? [] : [{ message: text, pods }],
    ),
    preempts: preempted
      .filter(({ preemptor }) => isWorkload(preemptor, workload))
      .map(({ namespace, name, node, workload: of }) => ({
        namespace,
        name,
        node,
        workload: `${of.kind} ${of.namespace}/${of.name}`,
      })),
  };
}

const isWorkload = (a: WorkloadName, b: WorkloadName): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;

function changeResponse({ of, object, text, patch, command }: ProposedChange) {
  return {
    of,
    object: objectName(object),
    text,
    patch: patch.map(({ op, path, value = null }) => ({ op, path, value })),
    command: command ?? null,
  };
}
