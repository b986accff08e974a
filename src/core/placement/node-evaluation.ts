import type { AskedPod } from './ask-pod.js';
import { explainNode, type Explainable, type NodeExplanation, type PreFilterNodes } from './node-explanation.js';
import type { Verdict } from './placement.js';
import { firstRefusalOf, statusAt, type PluginOutcome } from './plugin-outcome.js';
import { SUCCESS, UNKNOWN, type PlacementInput } from './plugin.js';
import type { Reason } from './reason.js';

/** Where one pod can go, asked node by node: as `Placement`, without its columns. */
export class NodeEvaluation implements Explainable {
  readonly input: PlacementInput;
  readonly plugins: readonly PluginOutcome[];
  readonly podReasons: readonly Reason[];
  readonly preFilterNodes: PreFilterNodes | undefined;
  /** Those that may keep a pod off a node, known answers first: only the verdict is asked of them, which does not depend on the order. */
  private readonly deciding: readonly PluginOutcome[];
  private readonly isUnknown: boolean;
  private readonly isRefused: boolean;

  constructor({ input, plugins, podReasons, preFilterNodes }: AskedPod) {
    this.input = input;
    this.plugins = plugins;
    this.podReasons = podReasons;
    this.preFilterNodes = preFilterNodes;
    const deciding = plugins.filter(({ filter, passesAll }) => filter !== undefined && passesAll !== true);
    this.deciding = [
      ...deciding.filter(({ statuses }) => statuses !== undefined),
      ...deciding.filter(({ statuses }) => statuses === undefined),
    ];
    this.isUnknown = podReasons.some(({ status }) => status === 'Unknown');
    this.isRefused = podReasons.some(({ status }) => status !== 'Unknown');
  }

  verdict(node: number): Verdict {
    if (this.isUnknown) return 'unknown';
    if (this.isRefused || this.isExcluded(node)) return 'infeasible';
    let verdict: Verdict = 'feasible';
    for (const plugin of this.deciding) {
      const status = statusAt(plugin, node);
      if (status === undefined || status === SUCCESS) continue;
      if (status !== UNKNOWN) return 'infeasible';
      verdict = 'unknown';
    }
    return verdict;
  }

  isExcluded(node: number): boolean {
    return this.preFilterNodes?.names.has(this.input.state.nodes.name(node)) === false;
  }

  firstRefusal(node: number): PluginOutcome | undefined {
    return firstRefusalOf(this.plugins, node);
  }

  explainNode(node: number): NodeExplanation {
    return explainNode(this, node);
  }
}
