import type { drainInput } from '../../contract/disruptions/drain-request.js';
import type { Request } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { DrainOptions, RollingOptions } from '../../core/drain/drain-plan.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import type { Selector } from '../../core/kubernetes/label-selector.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { faultAt, placeOf } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { selectorIn } from '../label-selector-parameter.js';
import { faultsBeforeState, faultsTooLate } from '../evictions/as-of.js';
import { readTaintsAt } from '../taints/given-taint.js';

/** A parsed request for a drain plan. */
export interface ReadDrain {
  readonly targets: { readonly names: readonly string[] } | { readonly selector: Selector };
  /** When the first drain starts, if requested. */
  readonly asOf: Date | undefined;
  readonly options: DrainOptions;
  readonly taint: Taint;
  readonly rolling: RollingOptions;
}

const DEFAULT_TAINT: Taint = { key: 'drain', value: 'true', effect: 'NoExecute' };
const DEFAULT_READY_SECONDS = 60;
const AS_OF = FieldPath.of('asOf');

/** @throws {InvalidRequestError} with every error in the request */
export function readDrain({
  nodes,
  nodeSelector,
  asOf,
  options = {},
  taint,
  rolling = {},
}: Request<typeof drainInput>): ReadDrain {
  const details: ErrorDetail[] = [];
  if ((nodes === undefined) === (nodeSelector === undefined)) {
    details.push({ pointer: '', code: 'one-of', message: 'give either nodes or nodeSelector' });
  }
  if (nodes?.length === 0)
    details.push({ pointer: '/nodes', field: 'nodes', code: 'required', message: 'must name at least one node' });
  const selector =
    nodeSelector === undefined ? undefined : selectorIn(nodeSelector, placeOf(FieldPath.of('nodeSelector')), details);
  const start = asOf === undefined ? undefined : new Date(asOf);
  if (start !== undefined) details.push(...faultsTooLate(start.getTime(), AS_OF));
  const podSelector = selectorIn(options.podSelector ?? '', placeOf(FieldPath.of('options', 'podSelector')), details);
  const read = taint === undefined ? DEFAULT_TAINT : readNoExecute(taint, details);
  if (details.length > 0 || podSelector === undefined) throw new InvalidRequestError(details);
  return {
    targets: selector === undefined ? { names: nodes ?? [] } : { selector },
    asOf: start,
    options: {
      force: options.force ?? false,
      ignoreDaemonSets: options.ignoreDaemonSets ?? false,
      deleteEmptyDirData: options.deleteEmptyDirData ?? false,
      disableEviction: options.disableEviction ?? false,
      skipWaitForDeleteTimeoutSeconds: options.skipWaitForDeleteTimeoutSeconds ?? 0,
      podSelector,
      gracePeriodSeconds: options.gracePeriodSeconds ?? -1,
      timeoutSeconds: options.timeoutSeconds ?? 0,
    },
    taint: read,
    rolling: {
      maxParallel: rolling.maxParallel ?? 1,
      replacementReadySeconds: rolling.replacementReadySeconds ?? DEFAULT_READY_SECONDS,
    },
  };
}

/**
 * The nodes to drain, by index: named nodes in the given order, selected nodes sorted by name.
 * @param start.madeAt from when on the state holds
 * @throws {InvalidRequestError} naming each node that does not exist, and a start before the state
 */
export function nodesToDrain(
  { nodes }: ClusterState,
  { targets }: ReadDrain,
  { asOf, madeAt }: { readonly asOf: number; readonly madeAt: number },
): readonly number[] {
  const tooEarly = faultsBeforeState(asOf, madeAt, AS_OF);
  if ('selector' in targets) {
    if (tooEarly.length > 0) throw new InvalidRequestError(tooEarly);
    return Array.from({ length: nodes.count }, (_, node) => node).filter((node) =>
      targets.selector.matches(nodes.labels(node)),
    );
  }
  const found = targets.names.map((name) => nodes.indexOf(name));
  const missing = found.flatMap((node, index) => {
    const message = `node ${JSON.stringify(targets.names[index])} does not exist in this revision`;
    return node >= 0 ? [] : [faultAt(FieldPath.of('nodes').index(index), 'object-not-found', message)];
  });
  const details = [...tooEarly, ...missing];
  if (details.length > 0) throw new InvalidRequestError(details);
  return [...new Set(found)];
}

function readNoExecute(given: JsonValue, details: ErrorDetail[]): Taint {
  const { taints, details: faults } = readTaintsAt([given], FieldPath.of('taint'));
  // The request has a single taint, not a list.
  for (const { pointer = '', field = '', ...fault } of faults) {
    details.push({
      ...fault,
      pointer: pointer.replace('/taint/0', '/taint'),
      field: field.replace('taint[0]', 'taint'),
    });
  }
  const taint = taints[0] ?? DEFAULT_TAINT;
  if (faults.length === 0 && taint.effect !== 'NoExecute') {
    details.push({
      pointer: '/taint',
      field: 'taint',
      code: 'not-no-execute',
      message: 'must have the effect NoExecute; other effects do not evict pods',
    });
  }
  return taint;
}
