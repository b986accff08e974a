import { MAX_CELLS } from '../../contract/overview/node-matrix.js';
import type { readNodeMatrix } from '../../contract/overview/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { stepSelectNodes } from '../../core/inventory/select-nodes.js';
import { defined } from '../../core/collections/defined.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import {
  matrixNodes,
  matrixPods,
  stepMatrixCells,
  stepTolerating,
  type MatrixPods,
} from '../../core/taint-effects/node-matrix.js';
import { ServiceError } from '../errors/service-error.js';
import { gatesOf, type TolerationGates } from '../../core/kubernetes/toleration.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { tolerationResponse } from '../pods/toleration-response.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { taintResponse } from '../taints/taint-response.js';

/** Evaluates the taints of all nodes against the tolerations of all pods. */
export class ReadNodeMatrix {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /**
   * @throws {InvalidRequestError} the selector is invalid
   * @throws {ServiceError} `answer-too-large`
   */
  async run(
    { cluster, readAt, labelSelector, namespace, details = false }: RequestOf<typeof readNodeMatrix>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readNodeMatrix>> {
    const labels = readLabelSelector(labelSelector);
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const gates = gatesOf(state.rules);
    const slices = new TimeSlices({ signal: context.signal });
    const nodeGroups = matrixNodes(state, await runSteps(stepSelectNodes(state, defined({ labels }), gates), slices));
    const podGroups = matrixPods(state, await this.digests.podGroups(state), namespace);
    if (nodeGroups.length * podGroups.length > MAX_CELLS) {
      throw new ServiceError(
        'answer-too-large',
        `The matrix would have ${nodeGroups.length * podGroups.length} cells (${nodeGroups.length} node groups and ` +
          `${podGroups.length} pod groups); at most ${MAX_CELLS} are allowed. Narrow it with labelSelector or namespace.`,
      );
    }
    const { outcomes, cells } = await runSteps(stepMatrixCells(nodeGroups, podGroups, gates), slices);
    const taints = new DistinctTaints();
    const nodes = nodeGroups.map((group) => ({
      taints: taints.placesOf(group.taints),
      unschedulable: group.unschedulable,
      nodes: group.nodes.length,
      names: frontCoded(group.nodes.map((node) => state.nodes.name(node))),
    }));
    const places = outcomes.map((outcome) => ({ ...outcome, taints: taints.placesOf(outcome.taints) }));
    const tolerating = details ? await toleratingOf(podGroups, taints.all, gates, slices) : undefined;
    return {
      basis,
      nodeGroups: nodes,
      podGroups: podGroups.map(({ tolerations, members, ...group }, row) => ({
        tolerations: tolerations.map(tolerationResponse),
        ...group,
        members: details ? membersResponse(members) : null,
        tolerating: tolerating?.[row] ?? null,
        cells: cells[row]!,
      })),
      outcomes: places,
      taints: taints.all.map(taintResponse),
    };
  }
}

async function toleratingOf(
  pods: readonly MatrixPods[],
  taints: readonly Taint[],
  gates: TolerationGates,
  slices: TimeSlices,
) {
  if (pods.length * taints.length > MAX_CELLS) {
    throw new ServiceError(
      'answer-too-large',
      `The details would compare ${pods.length} pod groups with ${taints.length} taints; at most ${MAX_CELLS} pairs are allowed. ` +
        'Narrow the matrix with labelSelector or namespace, or ask without details.',
    );
  }
  return runSteps(stepTolerating(pods, taints, gates), slices);
}

function membersResponse(members: MatrixPods['members']) {
  const sorted = members
    .map(({ workload: { namespace, kind, name }, pods }) => ({ text: `${namespace}/${kind}/${name}`, pods }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
  return { names: frontCoded(sorted.map(({ text }) => text)), pods: sorted.map(({ pods }) => pods) };
}

/** Assigns an index to each distinct taint (key, value and effect). */
class DistinctTaints {
  readonly all: Taint[] = [];
  private readonly places = new Map<string, number>();

  placesOf(taints: readonly Taint[]): number[] {
    return taints.map((taint) => {
      const text = JSON.stringify([taint.key, taint.value ?? '', taint.effect]);
      let place = this.places.get(text);
      if (place === undefined) {
        this.places.set(text, (place = this.all.length));
        this.all.push(taint);
      }
      return place;
    });
  }
}

/** Front-codes sorted names: neighboring names share most of their characters. */
export function frontCoded(names: readonly string[]): { readonly shared: number[]; readonly rest: string[] } {
  const shared: number[] = [];
  const rest: string[] = [];
  let former = '';
  for (const name of names) {
    let same = 0;
    while (same < former.length && former[same] === name[same]) same++;
    shared.push(same);
    rest.push(name.slice(same));
    former = name;
  }
  return { shared, rest };
}
